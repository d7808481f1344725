import PorticoProtocol
import PorticoStores

extension Client {
    /// What `portico client show` tells; named as RFC 7591 §2 does where it has a name. Members are
    /// only ever added.
    var description: Description {
        Description(
            json: [
                "id": .string(id),
                "client_id": .string(clientID),
                "client_name": .string(name),
                "enabled": .bool(isEnabled),
                "type": .string(type.rawValue),
                "token_endpoint_auth_method": .string(authentication.rawValue),
                "has_secret": .bool(secret != nil),
                "jwks": keySet ?? .null,
                "redirect_uris": .array(redirectURIs.map { .string($0.text) }),
                "post_logout_redirect_uris": .array(
                    postLogoutRedirectURIs.map { .string($0.text) }
                ),
                "backchannel_logout_uri": backchannelLogoutURI.map { .string($0.text) } ?? .null,
                "backchannel_logout_session_required": .bool(backchannelLogoutSessionRequired),
                "grant_types": .array(sortedGrantTypes.map { .string($0) }),
                "requires_pkce": .bool(requiresPKCE),
                "requires_consent": .bool(requiresConsent),
                "require_pushed_authorization_requests": .bool(requiresPushedRequests),
                "development": .bool(isDevelopment),
                "default_scopes": .array(defaultScopes.map { .string($0) }),
                "optional_scopes": .array(optionalScopes.map { .string($0) }),
                "id_token_signed_response_alg": signingAlgorithm.map { .string($0.rawValue) }
                    ?? .null,
                "access_token_lifetime": accessTokenLifetime.map(JSONValue.integer) ?? .null,
                "web_origins": .array(webOrigins.map { .string($0) }),
            ],
            fields: [
                ("Client", clientID),
                ("Name", name),
                ("Type", type.rawValue),
                ("State", state),
                ("Authenticates", authentication.rawValue),
                ("Grant types", joined(sortedGrantTypes)),
                ("Redirects", joined(redirectURIs.map(\.text))),
                ("After sign-out", joined(postLogoutRedirectURIs.map(\.text))),
                ("Told of logouts", backchannelLogoutURI?.text),
                ("Web origins", joined(webOrigins)),
                ("Default scopes", joined(defaultScopes)),
                ("May ask for", joined(optionalScopes)),
                ("Asks consent", yesNo(requiresConsent)),
                ("PKCE", requiresPKCE ? "required" : "optional"),
                ("Pushed requests", requiresPushedRequests ? "required" : "optional"),
                ("Development", yesNo(isDevelopment)),
                ("Algorithm", signingAlgorithm?.rawValue),
                ("Access token", accessTokenLifetime.map(Times.duration)),
                ("Id", id),
            ]
        )
    }

    var state: String { isEnabled ? "enabled" : "disabled" }

    private var sortedGrantTypes: [String] { grantTypes.map(\.rawValue).sorted() }
}

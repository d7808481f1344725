import PorticoProtocol
import PorticoProvider
import PorticoStores

extension Client {
    /// What `portico client show` shows; named as RFC 7591 §2 does where it has a name. Members are
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
                "requires_pkce": .bool(codeProtection == .pkce),
                "code_protection": .string(codeProtection.rawValue),
                "requires_consent": .bool(requiresConsent),
                "administers": .bool(lendsAdministration),
                "require_pushed_authorization_requests": .bool(requiresPushedRequests),
                "dpop_bound_access_tokens": .bool(dpopBoundAccessTokens),
                "development": .bool(isDevelopment),
                "default_scopes": .array(defaultScopes.map { .string($0) }),
                "optional_scopes": .array(optionalScopes.map { .string($0) }),
                "strict_authentication": .bool(authenticatesStrictly),
                "token_endpoint_audience": .bool(takesTokenEndpointAudience),
                "id_token_signed_response_alg": idTokenAlgorithm.map { .string($0.rawValue) }
                    ?? .null,
                "access_token_signed_response_alg": accessTokenAlgorithm.map {
                    .string($0.rawValue)
                } ?? .null,
                "access_token_type": accessTokenType.map { .string($0.rawValue) } ?? .null,
                "access_token_lifetime": accessTokenLifetime.map(JSONValue.integer) ?? .null,
                "stay_signed_in": staySignedIn.value,
                "web_origins": .array(webOrigins.map { .string($0) }),
                "login_token_targets": .array(loginTokenTargets.map(\.json)),
                "claims": .array(claims.map(\.json)),
                "audiences": .array(audiences.map { .string($0) }),
            ],
            fields: [
                ("Client", clientID),
                ("Name", name),
                ("Type", type.rawValue),
                ("State", state),
                (
                    "Authenticates",
                    authentication.rawValue + (authenticatesStrictly ? ", strictly" : "")
                ),
                ("Grant types", joined(sortedGrantTypes)),
                ("Redirects", joined(redirectURIs.map(\.text))),
                ("After sign-out", joined(postLogoutRedirectURIs.map(\.text))),
                ("Logout notices", backchannelLogoutURI?.text),
                ("Web origins", joined(webOrigins)),
                (
                    "Hands sign-in to",
                    joined(
                        loginTokenTargets.map { $0.clientID + ($0.isSilent ? ", silently" : "") }
                    )
                ),
                ("Default scopes", joined(defaultScopes)),
                ("May ask for", joined(optionalScopes)),
                ("Asks consent", yesNo(requiresConsent)),
                ("Administers", yesNo(lendsAdministration)),
                ("PKCE", codeProtection.words),
                ("Pushed requests", requiresPushedRequests ? "required" : "optional"),
                ("Proofs (DPoP)", dpopBoundAccessTokens ? "required" : "optional"),
                ("Development", yesNo(isDevelopment)),
                ("ID Tokens", idTokenAlgorithm?.rawValue),
                ("Access tokens", accessTokenWords),
                ("Access token lives", accessTokenLifetime.map(Times.duration)),
                ("Stays signed in", staySignedIn.words),
                ("Claims", joined(claims.map(\.text))),
                ("Audiences", joined(audiences)),
                ("Id", id),
            ]
        )
    }

    var state: String { isEnabled ? "enabled" : "disabled" }

    private var claims: [ClaimMapper] { mappers.filter { $0.source.claim != nil } }

    private var audiences: [String] { mappers.compactMap(\.source.audience) }

    private var accessTokenWords: String? {
        joined([accessTokenAlgorithm?.rawValue, accessTokenType?.rawValue].compactMap { $0 })
    }

    private var sortedGrantTypes: [String] { grantTypes.map(\.rawValue).sorted() }
}

extension ClaimMapper {
    /// As `--claim` takes it.
    fileprivate var text: String { "\(source.claim ?? "")=\(source.text)" }

    fileprivate var json: JSONValue {
        [
            "claim": .string(source.claim ?? ""),
            "source": .string(source.text),
            "targets": .array(
                Target.allCases.filter(targets.contains).map { .string($0.rawValue) }
            ),
        ]
    }
}

extension LoginTokenTarget {
    fileprivate var json: JSONValue {
        ["client_id": .string(clientID), "silent_login_token": .bool(isSilent)]
    }
}

extension CodeProtection {
    /// What `portico client show` shows for PKCE.
    var words: String {
        switch self {
        case .pkce: "required"
        case .pkceOrNonce: "required, or a nonce"
        case .none: "optional"
        }
    }
}

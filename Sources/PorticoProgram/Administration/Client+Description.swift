import PorticoAdministration
import PorticoProtocol
import PorticoProvider
import PorticoStores

extension Administration {
    /// What `portico client show` shows, with what stands beside the client.
    func description(of client: Client, in realm: Realm) async throws -> Description {
        let seen = (snapshot.roleLimits[.client(client.id)] ?? []).inOrder
        let account = try await people.serviceAccount(of: client.id, realmID: realm.id)
        let roles = (account?.roles ?? []).inOrder
        var description = client.description
        description.json["sees_roles"] = seen.json
        description.json["account"] = account.map { .string($0.person.username) } ?? .null
        description.json["account_roles"] = roles.json
        description.fields.insert(
            contentsOf: [
                ("Sees roles", joined(seen.map(\.text))),
                ("Own account", account?.person.username),
                ("Its roles", joined(roles.map(\.text))),
            ],
            at: description.fields.count - 1
        )
        return description
    }
}

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
                "claims": .array(
                    claims.map { claim, source, targets in
                        [
                            "claim": .string(claim), "source": .string(source),
                            "targets": .array(
                                ClaimMapper.Target.allCases.filter(targets.contains)
                                    .map { .string($0.rawValue) }
                            ),
                        ]
                    }
                ),
                "audiences": .array(audiences.map { .string($0) }),
                "mappers": .array(mappers.map { .string($0.name) }),
                "full_scope": .bool(seesAllRoles),
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
                ("Claims", joined(claims.map { "\($0.claim)=\($0.source)" })),
                ("Audiences", joined(audiences)),
                ("Mappers", mappers.isEmpty ? nil : mappers.map(\.name).joined(separator: ", ")),
                ("Full scope", yesNo(seesAllRoles)),
                ("Id", id),
            ]
        )
    }

    var state: String { isEnabled ? "enabled" : "disabled" }

    /// As `--claim` takes them; other mappers have only their names here.
    private var claims: [(claim: String, source: String, targets: Set<ClaimMapper.Target>)] {
        mappers.compactMap { mapper in
            guard let claim = mapper.topClaim, let source = mapper.source else { return nil }
            return (claim, source, mapper.targets)
        }
    }

    private var audiences: [String] { mappers.compactMap(\.audience) }

    private var accessTokenWords: String? {
        joined([accessTokenAlgorithm?.rawValue, accessTokenType?.rawValue].compactMap { $0 })
    }

    private var sortedGrantTypes: [String] { grantTypes.map(\.rawValue).sorted() }
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

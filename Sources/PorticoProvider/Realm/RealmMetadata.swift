import PorticoAdministration
import PorticoPages
import PorticoProtocol
import PorticoStores

/// A realm's metadata (OpenID Connect Discovery §3, RFC 8414 §2).
enum RealmMetadata {
    /// The authentication context class of a password.
    static let passwordACR = "1"

    /// - Parameters:
    ///   - algorithms: Those of the published keys.
    ///   - scopes: Those of the realm.
    static func document(
        of realm: Realm,
        at urls: RealmURLs,
        signedWith algorithms: [SignatureAlgorithm],
        scopes: RealmScopes
    ) -> JSONObject {
        if realm.profile.endpoints == .oauth {
            return OAuthMetadata.document(of: realm.profile, at: urls)
        }
        // Initiating User Registration via OpenID Connect §4.2.
        let registers = realm.registration != nil
        let methods = ClientAuthenticationMethod.allCases.map(\.rawValue)
        let confidential = methods.filter { $0 != "none" }
        let signing = SignatureAlgorithm.allCases.map(\.rawValue)
        var document: JSONObject = [
            "issuer": .string(urls.issuer),
            "authorization_endpoint": .string(urls.authorization),
            "token_endpoint": .string(urls.token),
            "userinfo_endpoint": .string(urls.userInfo),
            "jwks_uri": .string(urls.keySet),
            "end_session_endpoint": .string(urls.endSession),
            "revocation_endpoint": .string(urls.revocation),
            "introspection_endpoint": .string(urls.introspection),
            "pushed_authorization_request_endpoint": .string(urls.pushedAuthorizationRequest),
            "require_pushed_authorization_requests": false,
        ]
        let lists: [(String, [String])] = [
            ("response_types_supported", ["code"]),
            ("response_modes_supported", ResponseMode.allCases.map(\.rawValue)),
            ("grant_types_supported", GrantType.allCases.map(\.rawValue)),
            ("subject_types_supported", ["public", "pairwise"]),
            ("id_token_signing_alg_values_supported", algorithms.map(\.rawValue)),
            ("code_challenge_methods_supported", ["S256"]),
            ("token_endpoint_auth_methods_supported", methods),
            ("token_endpoint_auth_signing_alg_values_supported", signing),
            ("revocation_endpoint_auth_methods_supported", methods),
            ("revocation_endpoint_auth_signing_alg_values_supported", signing),
            ("introspection_endpoint_auth_methods_supported", confidential),
            ("introspection_endpoint_auth_signing_alg_values_supported", signing),
            ("dpop_signing_alg_values_supported", signing),
            ("scopes_supported", ["openid"] + scopes.names),
            ("claims_supported", claims),
            ("claim_types_supported", ["normal"]),
            ("prompt_values_supported", prompts(registers).map(\.rawValue)),
            ("acr_values_supported", realm.acrNames),
            ("ui_locales_supported", Language.allCases.map(\.tag)),
        ]
        for (name, values) in lists {
            document[name] = .array(values.map(JSONValue.string))
        }
        for name in [
            "claims_parameter_supported", "authorization_response_iss_parameter_supported",
            "backchannel_logout_supported", "backchannel_logout_session_supported",
            "native_sso_supported",
        ] {
            document[name] = true
        }
        // SDKs look at this alone, so it is only there if it is true.
        if realm.profile.takesDocuments { document["client_id_metadata_document_supported"] = true }
        document["check_session_iframe"] = .string(urls.loginStatus)
        // Explicit, because clients have read a missing one differently.
        for name in ["request_parameter_supported", "request_uri_parameter_supported"] {
            document[name] = false
        }
        return document
    }

    private static func prompts(_ registers: Bool) -> [Prompt] {
        Prompt.allCases.filter { $0 != .create || registers }
    }

    private static let claims =
        [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "azp", "sid",
            "ds_hash",
        ] + StandardClaims.names + ["realm_access", "resource_access", StandardScopes.groups]
}

extension Realm {
    /// What `acr` may say: the names of levels, and the levels without one.
    fileprivate var acrNames: [String] {
        acrLevels.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
            + ["0", RealmMetadata.passwordACR].filter { acrLevels[$0] == nil }
    }
}

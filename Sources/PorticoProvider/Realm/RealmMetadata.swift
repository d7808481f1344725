import PorticoAdministration
import PorticoBytes
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
        document["check_session_iframe"] = .string(urls.loginStatus)
        let offered = [
            "claims_parameter_supported", "backchannel_logout_supported",
            "backchannel_logout_session_supported", "native_sso_supported",
        ]
        complete(&document, lists, offered, of: realm.profile)
        return document
    }

    /// Adds what is written alike in both kinds of documents.
    fileprivate static func complete(
        _ document: inout JSONObject,
        _ lists: [(String, [String])],
        _ offered: [String],
        of profile: RealmProfile
    ) {
        for (name, values) in lists { document[name] = .array(values.map(JSONValue.string)) }
        for name in offered + ["authorization_response_iss_parameter_supported"] {
            document[name] = true
        }
        // SDKs look at this alone, so it is only there if it is true.
        if profile.takesDocuments { document["client_id_metadata_document_supported"] = true }
        // Explicit, because clients have read a missing one differently.
        for name in ["request_parameter_supported", "request_uri_parameter_supported"] {
            document[name] = false
        }
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

/// The metadata of a realm with the endpoints of OAuth alone (RFC 8414 §2; AT Protocol, OAuth,
/// Authorization Server Metadata), without what only OpenID Connect has.
enum OAuthMetadata {
    static func document(of profile: RealmProfile, at urls: RealmURLs) -> JSONObject {
        var document: JSONObject = [
            "issuer": .string(urls.issuer),
            "authorization_endpoint": .string(urls.authorization),
            "token_endpoint": .string(urls.token),
            "pushed_authorization_request_endpoint": .string(urls.pushedAuthorizationRequest),
            "revocation_endpoint": .string(urls.revocation),
            "jwks_uri": .string(urls.keySet),
        ]
        let signing = SignatureAlgorithm.allCases.map(\.rawValue)
        let methods = ["none", "private_key_jwt"]
        let lists: [(String, [String])] = [
            ("scopes_supported", ATScope.fixed),
            ("response_types_supported", ["code"]),
            ("response_modes_supported", ["query", "fragment", "form_post"]),
            ("grant_types_supported", ["authorization_code", "refresh_token"]),
            ("subject_types_supported", ["public"]),
            ("code_challenge_methods_supported", ["S256"]),
            ("token_endpoint_auth_methods_supported", methods),
            ("token_endpoint_auth_signing_alg_values_supported", signing),
            ("revocation_endpoint_auth_methods_supported", methods),
            ("revocation_endpoint_auth_signing_alg_values_supported", signing),
            ("dpop_signing_alg_values_supported", signing),
            ("protected_resources", [profile.tokenResource ?? urls.issuer]),
        ]
        let demanded = [
            "require_pushed_authorization_requests", "require_request_uri_registration",
        ]
        RealmMetadata.complete(&document, lists, demanded, of: profile)
        return document
    }

    /// The metadata of the resource that access tokens are for, where it is the realm's own origin (RFC
    /// 9728 §2, §3); `nil` of one elsewhere, which has a document itself.
    static func resource(of realm: Realm, at urls: RealmURLs) -> JSONObject? {
        guard let resource = realm.profile.tokenResource, sameBytes(resource, urls.issuer) else {
            return nil
        }
        return [
            "resource": .string(resource),
            "authorization_servers": [.string(urls.issuer)],
            "scopes_supported": .array(ATScope.fixed.map(JSONValue.string)),
            "bearer_methods_supported": ["header"],
            "dpop_signing_alg_values_supported": .array(
                SignatureAlgorithm.allCases.map { .string($0.rawValue) }
            ),
            "dpop_bound_access_tokens_required": .bool(realm.profile.requiresProofs),
        ]
    }
}

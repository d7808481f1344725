import PorticoBytes
import PorticoProtocol
import PorticoStores

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
        for (name, values) in lists { document[name] = .array(values.map(JSONValue.string)) }
        for name in [
            "require_pushed_authorization_requests", "require_request_uri_registration",
            "authorization_response_iss_parameter_supported",
        ] {
            document[name] = true
        }
        if profile.takesDocuments { document["client_id_metadata_document_supported"] = true }
        // Explicit, because clients have read a missing one differently.
        for name in ["request_parameter_supported", "request_uri_parameter_supported"] {
            document[name] = false
        }
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

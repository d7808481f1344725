import HTTPTypes
import PorticoProtocol
import PorticoWeb

/// The public documents: metadata (OpenID Connect Discovery 1.0 §4) and keys (RFC 7517 §5).
struct StandInDocuments {
    let answers: StandInAnswers

    func keys(_ call: StandInCall) throws -> Response {
        Response(
            publicJSON: JWKSet([try answers.standIns.key(of: call.kind).verificationKey])
                .serialized(),
            for: 3600,
            headers: answers.headers
        )
    }

    func discovery(_ call: StandInCall) throws -> Response {
        let base = answers.standIns.issuer(of: call.kind)
        var metadata = Self.common(StandInAddresses(call.kind, base: base))
        for (name, value) in Self.members(of: call.kind) { metadata[name] = value }
        return Response(publicJSON: metadata.serialized(), for: 3600, headers: answers.headers)
    }

    private static func common(_ addresses: StandInAddresses) -> JSONObject {
        var metadata: JSONObject = [
            "issuer": .string(addresses.base),
            "authorization_endpoint": .string(addresses.authorization),
            "token_endpoint": .string(addresses.token),
            "jwks_uri": .string(addresses.keys),
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
        ]
        if let address = addresses.userInfo { metadata["userinfo_endpoint"] = .string(address) }
        if let address = addresses.revocation {
            metadata["revocation_endpoint"] = .string(address)
        }
        return metadata
    }

    /// The additional members of the providers' own documents. That of Facebook and that of Apple are
    /// not asked for.
    private static func members(of kind: StandInKind) -> JSONObject {
        switch kind {
        case .google:
            [
                "subject_types_supported": ["public"],
                "scopes_supported": ["openid", "email", "profile"],
                "token_endpoint_auth_methods_supported": [
                    "client_secret_post", "client_secret_basic",
                ],
                "claims_supported": [
                    "aud", "email", "email_verified", "exp", "family_name", "given_name", "iat",
                    "iss", "name", "picture", "sub",
                ],
                "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "authorization_response_iss_parameter_supported": true,
            ]
        case .facebook, .apple: [:]
        case .openID:
            [
                "subject_types_supported": ["public"],
                "scopes_supported": ["openid", "email", "profile", "offline_access"],
                "response_modes_supported": ["query", "form_post"],
                "token_endpoint_auth_methods_supported": [
                    "client_secret_basic", "client_secret_post",
                ],
                "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "authorization_response_iss_parameter_supported": true,
                "backchannel_logout_supported": true,
                "backchannel_logout_session_supported": true,
            ]
        }
    }
}

import PorticoBytes

/// What an authorization server says of itself (RFC 8414 §2, OpenID Connect Discovery 1.0 §3).
///
/// Endpoints are kept byte for byte. Members that are not known here stay in ``json``.
public struct ProviderMetadata: Sendable, Hashable {
    /// `issuer`: who issues the ID Tokens, byte for byte the one that was asked for.
    public let issuer: String
    /// `authorization_endpoint`: what the browser opens (RFC 6749 §3.1).
    public let authorizationEndpoint: String
    /// `token_endpoint`: where codes and refresh tokens are redeemed (RFC 6749 §3.2).
    public let tokenEndpoint: String
    /// `userinfo_endpoint` (OpenID Connect Core §5.3), where there is one.
    public let userInfoEndpoint: String?
    /// `jwks_uri`: where the keys are that sign ID Tokens.
    public let keySetURI: String?
    /// `revocation_endpoint` (RFC 7009 §2), where there is one.
    public let revocationEndpoint: String?
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout §2.1), where there is one.
    public let endSessionEndpoint: String?
    /// `scopes_supported`; a server may know more than it lists.
    public let scopesSupported: [String]?
    /// `response_types_supported`, where it says.
    public let responseTypesSupported: [String]?
    /// `code_challenge_methods_supported` (RFC 8414 §2): the methods of PKCE, where it says.
    public let codeChallengeMethodsSupported: [String]?
    /// `id_token_signing_alg_values_supported`, as JOSE names them.
    public let idTokenSigningAlgorithms: [String]?
    /// Whether each authorization response carries `iss` (RFC 9207 §3).
    public let sendsIssuerInResponses: Bool
    /// Whether single claims can be asked for (OpenID Connect Core §5.5).
    public let supportsClaimsParameter: Bool
    /// Everything, as it was read.
    public let json: JSONObject

    package enum Refusal: Error, Hashable, Sendable {
        case malformed
        /// The document speaks for another issuer (RFC 8414 §3.3).
        case otherIssuer
        case missingMember
        /// A member has another type than the standard gives it, or is no absolute URL.
        case malformedMember
        /// An endpoint is `http`, and the issuer is not, or elsewhere.
        case insecureEndpoint
    }

    /// Documents have at most this many bytes (RFC 8414 §6.2).
    package static let limits = HTTPLimits(bytes: 64 * 1024, seconds: 10)

    /// - Parameters:
    ///   - document: The body that the well-known address of `issuer` answered with.
    ///   - issuer: Whose metadata was asked for; `issuer` in the document must be the same bytes.
    package init(parsing document: [UInt8], of issuer: Issuer) throws(Refusal) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: document, limits: .foreign(size: 64 * 1024, depth: 16))
        } catch {
            throw .malformed
        }
        try self.init(json, of: issuer)
    }

    package init(_ json: JSONObject, of issuer: Issuer) throws(Refusal) {
        let members = Members(json: json, plainHTTP: issuer.plainHTTP)
        guard let name = try members.text("issuer") else { throw .missingMember }
        // Without this check anybody's document could name this issuer's endpoints (§6.2).
        guard issuer.isNamed(name) else { throw .otherIssuer }
        guard let authorizationEndpoint = try members.endpoint("authorization_endpoint"),
            let tokenEndpoint = try members.endpoint("token_endpoint")
        else { throw .missingMember }
        self.issuer = name
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        userInfoEndpoint = try members.endpoint("userinfo_endpoint")
        keySetURI = try members.endpoint("jwks_uri")
        revocationEndpoint = try members.endpoint("revocation_endpoint")
        endSessionEndpoint = try members.endpoint("end_session_endpoint")
        scopesSupported = try members.texts("scopes_supported")
        responseTypesSupported = try members.texts("response_types_supported")
        codeChallengeMethodsSupported = try members.texts("code_challenge_methods_supported")
        idTokenSigningAlgorithms = try members.texts("id_token_signing_alg_values_supported")
        sendsIssuerInResponses =
            try members.flag("authorization_response_iss_parameter_supported")
        supportsClaimsParameter = try members.flag("claims_parameter_supported")
        self.json = json
    }

    /// Whether the server says that it checks S256 (RFC 7636 §7.2, RFC 8414 §2).
    package var announcesS256: Bool {
        codeChallengeMethodsSupported?.contains("S256") ?? false
    }

    /// Whether the code flow can be used: it can where nothing is said (RFC 8414 §2 requires it).
    package var servesCodeFlow: Bool {
        responseTypesSupported?.contains("code") ?? true
    }

    /// The algorithms that an ID Token may be signed with: those the server lists, without `none`
    /// and those with a shared secret; RS256 is the default (OpenID Connect Core §3.1.3.7).
    package var allowedAlgorithms: Set<SignatureAlgorithm> {
        guard let names = idTokenSigningAlgorithms else { return [.rs256] }
        return Set(names.compactMap(SignatureAlgorithm.init(rawValue:)))
    }
}

/// Reading members: `null` counts as absent, another type is an error.
private struct Members {
    let json: JSONObject
    let plainHTTP: PlainHTTP

    func text(_ name: String) throws(ProviderMetadata.Refusal) -> String? {
        switch json[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .malformedMember
        }
    }

    func texts(_ name: String) throws(ProviderMetadata.Refusal) -> [String]? {
        switch json[name] {
        case nil, .null?: return nil
        case let value?:
            guard let texts = value.strings else { throw .malformedMember }
            return texts
        }
    }

    func flag(_ name: String) throws(ProviderMetadata.Refusal) -> Bool {
        switch json[name] {
        case nil, .null?: return false
        case .bool(let flag)?: return flag
        default: throw .malformedMember
        }
    }

    func endpoint(_ name: String) throws(ProviderMetadata.Refusal) -> String? {
        guard let text = try text(name) else { return nil }
        guard let address = HTTPAddress(text) else { throw .malformedMember }
        guard address.isSecure || plainHTTP.permits(address) else { throw .insecureEndpoint }
        return text
    }
}

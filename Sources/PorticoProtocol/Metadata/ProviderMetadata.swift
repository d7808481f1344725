import PorticoBytes

/// The metadata of an authorization server (RFC 8414 §2, OpenID Connect Discovery 1.0 §3).
///
/// Endpoints are kept byte for byte. Unknown members are in ``json``.
public struct ProviderMetadata: Sendable, Hashable {
    /// `issuer`, byte for byte the requested one (RFC 8414 §3.3), or that of all tenants
    /// (`tenantIssuers`): then each tenant issues its ID Tokens under its own name.
    public let issuer: String
    /// `authorization_endpoint`: the address for the browser (RFC 6749 §3.1).
    public let authorizationEndpoint: String
    /// `token_endpoint`: redeems codes and refresh tokens (RFC 6749 §3.2).
    public let tokenEndpoint: String
    /// `userinfo_endpoint` (OpenID Connect Core §5.3), if any.
    public let userInfoEndpoint: String?
    /// `jwks_uri`: the keys that sign ID Tokens.
    public let keySetURI: String?
    /// `revocation_endpoint` (RFC 7009 §2), if any.
    public let revocationEndpoint: String?
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout §2.1), if any.
    public let endSessionEndpoint: String?
    /// `pushed_authorization_request_endpoint` (RFC 9126 §5), if any.
    public let pushedAuthorizationRequestEndpoint: String?
    /// `scopes_supported`; a server may support more than it lists.
    public let scopesSupported: [String]?
    /// `response_types_supported`, if listed.
    public let responseTypesSupported: [String]?
    /// `code_challenge_methods_supported` (RFC 8414 §2): the PKCE methods, if listed.
    public let codeChallengeMethodsSupported: [String]?
    /// `id_token_signing_alg_values_supported`, as JOSE names them.
    public let idTokenSigningAlgorithms: [String]?
    /// Whether each authorization response carries `iss` (RFC 9207 §3).
    public let sendsIssuerInResponses: Bool
    /// Whether individual claims can be requested (OpenID Connect Core §5.5).
    public let supportsClaimsParameter: Bool
    /// All members, as read.
    public let json: JSONObject

    /// Why a document is not used, with the member that is to blame, which `==` does not compare.
    package struct Refusal: Error, Hashable, Sendable {
        package let kind: Kind
        /// The name of the member, if it is one.
        package var member: StaticString?

        package enum Kind: Hashable, Sendable {
            case malformed
            /// The document belongs to another issuer (RFC 8414 §3.3).
            case otherIssuer
            case missingMember
            /// A member that is needed does not have its standard type, or is not an absolute URL.
            case malformedMember
            /// An endpoint is `http` although the issuer is not, or is not on this machine.
            case insecureEndpoint
        }

        package static let malformed = Refusal(kind: .malformed)
        package static let otherIssuer = Refusal(kind: .otherIssuer, member: "issuer")
        package static let missingMember = Refusal(kind: .missingMember)
        package static let malformedMember = Refusal(kind: .malformedMember)
        package static let insecureEndpoint = Refusal(kind: .insecureEndpoint)

        func naming(_ member: StaticString) -> Refusal {
            Refusal(kind: kind, member: member)
        }

        package static func == (one: Refusal, other: Refusal) -> Bool {
            one.kind == other.kind
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
        }
    }

    /// Documents have at most this many bytes (RFC 8414 §6.2).
    package static let limits = HTTPLimits(bytes: 64 * 1024, seconds: 10)

    /// - Parameters:
    ///   - document: The body of the answer from the well-known address of `issuer`.
    ///   - issuer: The requested issuer; `issuer` in the document must be the same bytes.
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
        let name = try members.required("issuer")
        // Without this check, any document could set this issuer's endpoints (§6.2).
        guard issuer.isNamed(byMetadata: name) else { throw .otherIssuer }
        self.issuer = name
        authorizationEndpoint = try members.requiredEndpoint("authorization_endpoint")
        tokenEndpoint = try members.requiredEndpoint("token_endpoint")
        userInfoEndpoint = try members.endpoint("userinfo_endpoint")
        keySetURI = try members.endpoint("jwks_uri")
        revocationEndpoint = try members.endpoint("revocation_endpoint")
        endSessionEndpoint = try members.endpoint("end_session_endpoint")
        pushedAuthorizationRequestEndpoint =
            try members.endpoint("pushed_authorization_request_endpoint")
        scopesSupported = members.texts("scopes_supported")
        responseTypesSupported = members.texts("response_types_supported")
        codeChallengeMethodsSupported = members.texts("code_challenge_methods_supported")
        idTokenSigningAlgorithms = members.texts("id_token_signing_alg_values_supported")
        sendsIssuerInResponses =
            try members.checkedFlag("authorization_response_iss_parameter_supported")
        supportsClaimsParameter = members.flag("claims_parameter_supported")
        self.json = json
    }

    /// The texts of any other member that is a list, read as those above.
    package func list(_ name: String) -> [String]? {
        Members(json: json, plainHTTP: .nowhere).texts(name)
    }

    /// Whether the server announces that it checks S256 (RFC 7636 §7.2, RFC 8414 §2).
    package var announcesS256: Bool {
        codeChallengeMethodsSupported?.contains("S256") ?? false
    }

    /// Whether the code flow is supported, which is assumed if not listed (RFC 8414 §2 requires
    /// it).
    package var servesCodeFlow: Bool {
        guard let types = responseTypesSupported, !types.isEmpty else { return true }
        return types.contains("code")
    }

    /// The algorithms allowed for an ID Token: those the server lists, except `none` and those with
    /// a shared secret; RS256 is the default (OpenID Connect Core §3.1.3.7).
    package var allowedAlgorithms: Set<SignatureAlgorithm> {
        guard let names = idTokenSigningAlgorithms, !names.isEmpty else { return [.rs256] }
        return Set(names.compactMap(SignatureAlgorithm.init(rawValue:)))
    }
}

/// Reads members. One that is `null`, empty or of another type counts as missing, unless a rule depends
/// on it.
private struct Members {
    let json: JSONObject
    let plainHTTP: PlainHTTP

    func required(_ name: StaticString) throws(ProviderMetadata.Refusal) -> String {
        guard let value = json.present("\(name)") else { throw .missingMember.naming(name) }
        guard let text = value.string else { throw .malformedMember.naming(name) }
        return text
    }

    func requiredEndpoint(_ name: StaticString) throws(ProviderMetadata.Refusal) -> String {
        let text = try required(name)
        guard let address = HTTPAddress(text) else { throw .malformedMember.naming(name) }
        try check(address, name)
        return text
    }

    /// What is no address is none, but no endpoint may be without TLS (RFC 8414 §2).
    func endpoint(_ name: StaticString) throws(ProviderMetadata.Refusal) -> String? {
        guard let text = json.string("\(name)"), let address = HTTPAddress(text) else { return nil }
        try check(address, name)
        return text
    }

    private func check(_ address: HTTPAddress, _ name: StaticString)
        throws(ProviderMetadata.Refusal)
    {
        guard address.isSecure || plainHTTP.permits(address) else {
            throw .insecureEndpoint.naming(name)
        }
    }

    /// The texts of a list; a text alone is a list of one.
    func texts(_ name: String) -> [String]? {
        if let text = json.string(name) { return text.isEmpty ? nil : [text] }
        return json.array(name)?.compactMap(\.string)
    }

    func flag(_ name: String) -> Bool { json.bool(name) ?? false }

    /// A flag that asks for a check: text is read, as some programs write it, and anything else is not
    /// guessed.
    func checkedFlag(_ name: StaticString) throws(ProviderMetadata.Refusal) -> Bool {
        switch json.present("\(name)") {
        case nil, ""?, "false"?: return false
        case "true"?: return true
        case .bool(let flag)?: return flag
        default: throw .malformedMember.naming(name)
        }
    }
}

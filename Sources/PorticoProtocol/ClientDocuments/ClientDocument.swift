package import PorticoBytes

/// A client, as the document at its `client_id` describes it (Client ID Metadata Document §4). Nothing
/// of it is proven beyond that it stands at that address.
package struct ClientDocument: Hashable, Sendable {
    /// The address of the document, byte for byte.
    package let clientID: String
    /// `client_name`: what a stranger says of itself.
    package let name: String?
    /// `client_uri`, on the origin of ``clientID``.
    package let clientURI: String?
    /// 1 to 32.
    package let redirectURIs: [RedirectURI]
    /// All that the client may ask for. If the document does not say, and need not: who the person is,
    /// and to stay signed in (RFC 7591 §2).
    package let scope: Scope
    package let isNative: Bool
    package let authentication: Authentication
    /// Whether it may have refresh tokens.
    package let refreshes: Bool

    package enum Authentication: Hashable, Sendable {
        case none
        case privateKeyJWT(SignatureAlgorithm, Keys)
    }

    package enum Keys: Hashable, Sendable {
        case inline(JWKSet)
        /// `jwks_uri`.
        case at(HTTPAddress)
    }

    /// The longest document, and the longest key set, in bytes (§6.6 recommends a limit).
    package static let longest = 64 * 1024
    package static let jsonLimits = JSONLimits.foreign(size: longest, depth: 16)

    /// - Parameters:
    ///   - address: Where the document was found.
    ///   - rule: How scopes are named where it is to be known. As permissions of the AT Protocol, its
    ///     document must say which, and that it proves a key.
    /// - Throws: The first rule that the document breaks.
    package init(
        parsing document: [UInt8],
        at address: ClientIDAddress,
        scopes rule: ScopeRule
    ) throws(ClientDocumentRefusal) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: document, limits: Self.jsonLimits)
        } catch {
            throw .notJSON
        }
        try self.init(json, at: address, scopes: rule)
    }

    private init(_ json: JSONObject, at address: ClientIDAddress, scopes rule: ScopeRule)
        throws(ClientDocumentRefusal)
    {
        guard let clientID = json.string("client_id"), sameBytes(clientID, address.text) else {
            throw .clientID
        }
        let members = ClientDocumentMembers(json: json, address: address)
        try members.checkRefused()
        guard rule == .named || json.bool("dpop_bound_access_tokens") == true else { throw .dpop }
        self.clientID = address.text
        scope = try members.scope(rule)
        isNative = try members.isNative()
        redirectURIs = try members.redirectURIs(isNative: isNative)
        refreshes = try members.refreshes()
        authentication = try members.authentication(isNative: isNative)
        clientURI = try members.clientURI()
        name = json.string("client_name")
    }

    /// The client that `http://localhost` stands for, see ``LocalhostClient``.
    init(localhost clientID: String, redirectURIs: [RedirectURI], scope: Scope) {
        self.clientID = clientID
        self.redirectURIs = redirectURIs
        self.scope = scope
        name = nil
        clientURI = nil
        isNative = true
        authentication = .none
        refreshes = true
    }

    /// Differs from the one that a person agreed to if what protects them has changed: where codes
    /// go, who can be the client, what it is called (§6.3).
    package var fingerprint: Hash256 {
        let keys: JSONValue
        switch authentication {
        case .none: keys = .null
        case .privateKeyJWT(_, .at(let address)): keys = .string(address.text)
        case .privateKeyJWT(_, .inline(let set)):
            keys = .array(
                set.keys.map { JWKThumbprint($0.jwk).text }.sorted().map(JSONValue.string)
            )
        }
        let parts: JSONValue = [
            .array(redirectURIs.map(\.text).sorted().map(JSONValue.string)), keys,
            name.map(JSONValue.string) ?? .null, clientURI.map(JSONValue.string) ?? .null,
        ]
        return Hash256(of: parts.serialized())
    }
}

extension ClientDocument {
    /// The keys of a client, from its document or from its `jwks_uri`.
    ///
    /// - Parameter algorithm: `token_endpoint_auth_signing_alg`.
    /// - Throws: `.keys` unless there are 1 to 16, of which at least one can be used: it has a
    ///   `kid`, is public, and is meant for signatures.
    package static func keySet(_ object: JSONObject, for algorithm: SignatureAlgorithm)
        throws(ClientDocumentRefusal) -> JWKSet
    {
        guard let elements = object.array("keys"), elements.count <= 16 else { throw .keys }
        let set: JWKSet
        do {
            set = try JWKSet(object, unlabelledRSA: [algorithm == .ps256 ? .ps256 : .rs256])
        } catch {
            throw .keys
        }
        let named = set.keys.filter { $0.keyID != nil }
        guard !named.isEmpty else { throw .keys }
        return JWKSet(named)
    }
}

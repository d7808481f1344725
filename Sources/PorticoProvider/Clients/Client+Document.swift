import PorticoBytes
import PorticoProtocol
import PorticoStores

extension Client {
    /// The client that a document describes, in a realm (docs/decisions/0064). It asks the person, pushes
    /// its requests and proves a key, whatever its document says.
    ///
    /// - Parameters:
    ///   - keys: What it authenticates with, from the document or from its `jwks_uri`; `nil`: with nothing.
    ///   - scopes: The names of the realm's.
    init(_ document: ClientDocument, keys: JWKSet?, in realm: Realm, scopes: [String] = []) {
        let isConfidential = document.authentication != .none
        self.init(
            id: Self.id(ofDocument: document.clientID, realmID: realm.id),
            realmID: realm.id,
            clientID: document.clientID,
            // Its own word for itself proves nothing: its host does (§6.4).
            name: HTTPAddress(document.clientID)?.host ?? document.clientID,
            type: isConfidential ? .confidential : .public,
            authentication: isConfidential ? .privateKeyJWT : .none
        )
        source = .document
        keySet = keys.map { keys in
            ["keys": .array(keys.keys.map { .object($0.jwk.object) })]
        }
        if case .privateKeyJWT(let algorithm, _) = document.authentication {
            assertionAlgorithm = algorithm
        }
        redirectURIs = document.redirectURIs
        grantTypes =
            document.refreshes ? [.authorizationCode, .refreshToken] : [.authorizationCode]
        requiresConsent = true
        consentFingerprint = document.fingerprint
        requiresPushedRequests = true
        dpopBoundAccessTokens = true
        // The response was asked for with the client's key, so no link of an attacker's chose its mode.
        compatibility = [.fragments, .listedAudience]
        defaultScopes = []
        optionalScopes = document.scope.tokens.filter {
            realm.profile.scopeRule == .atProtocol || $0 == "openid" || scopes.contains($0)
        }
        // A stranger is told of no roles but those that a scope of the realm shows.
        seesAllRoles = false
        // A public client proves nothing that could be remembered.
        consentMemory = isConfidential ? .kept : .none
        scopeRule = realm.profile.scopeRule
        if scopeRule == .atProtocol { applyATProtocol() }
    }

    /// What the AT Protocol says of clients (OAuth, Authorization Interface; Tokens and Session
    /// Lifetime).
    private mutating func applyATProtocol() {
        let day: Int64 = 86_400
        redirectRule = .exactPort
        accessTokenLifetime = 900
        guard type == .confidential else {
            staySignedIn = .apart(idle: 14 * day, most: 14 * day)
            return
        }
        consentMemory = .namedAccount
        staySignedIn = .apart(idle: 90 * day, most: 730 * day)
    }

    /// What codes and grants name the client by before anything of it is stored: each realm has its
    /// own.
    static func id(ofDocument clientID: String, realmID: String) -> String {
        let hash = Hash256(of: "client document\n\(realmID)\n\(clientID)")
        return Base64URL.encode(Array(hash.bytes.prefix(24)))
    }
}

extension Realm {
    /// Whether a `client_id` is that of a client which describes itself: the address of a document, or at
    /// a host of the AT Protocol the client for development (``LocalhostClient``).
    func describesItself(_ clientID: String) -> Bool {
        guard profile.takesDocuments else { return false }
        return clientID.dropping("https://") != nil
            || profile.scopeRule == .atProtocol && LocalhostClient.isMeant(by: clientID)
    }
}

extension GrantStore {
    /// The client of a grant: registered, or as its document was fetched lately, or as it was when a person
    /// last let it in. Nothing is fetched.
    func client(id: String, in realm: LiveRealm) async throws -> Client? {
        if let client = try await realm.client(uuid: id) { return client }
        guard realm.realm.profile.takesDocuments else { return nil }
        if let client = realm.described.client(id: id) { return client }
        return try await clientFromDocument(id: id, realmID: realm.id)
    }
}

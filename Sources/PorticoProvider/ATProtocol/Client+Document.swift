import PorticoBytes
import PorticoProtocol
import PorticoStores

extension Client {
    /// The client that a document describes (docs/decisions/0064). It asks the person, pushes its
    /// requests and proves a key, whatever its document says.
    init(_ documented: DocumentedClient, realmID: String) {
        let document = documented.document
        let isConfidential = document.authentication != .none
        self.init(
            id: Self.id(ofDocument: document.clientID, realmID: realmID),
            realmID: realmID,
            clientID: document.clientID,
            // Its own word for itself proves nothing: its host does (§6.4).
            name: HTTPAddress(document.clientID)?.host ?? document.clientID,
            type: isConfidential ? .confidential : .public,
            authentication: isConfidential ? .privateKeyJWT : .none
        )
        self.documented = documented
        redirectRule = .exactPort
        redirectURIs = document.redirectURIs
        grantTypes =
            document.refreshes ? [.authorizationCode, .refreshToken] : [.authorizationCode]
        requiresConsent = true
        requiresPushedRequests = true
        dpopBoundAccessTokens = true
        defaultScopes = []
        optionalScopes = document.scope.tokens
        accessTokenLifetime = ATLifetimes.accessToken
    }

    /// The client of a document that was kept. It is not fetched for that, so nothing of it serves to
    /// authenticate.
    ///
    /// - Returns: `nil` if the document breaks the rules of today.
    init?(_ kept: KeptClientDocument) {
        do {
            let document =
                LocalhostClient.isMeant(by: kept.clientID)
                ? try LocalhostClient(kept.clientID).document
                : try ClientDocument(
                    parsing: kept.document.serialized(),
                    at: try ClientIDAddress(kept.clientID, allowsTest: true)
                )
            self.init(DocumentedClient(document, keys: nil), realmID: kept.realmID)
        } catch {
            return nil
        }
    }

    /// What codes and grants name the client by before anything of it is stored: each realm has its
    /// own.
    static func id(ofDocument clientID: String, realmID: String) -> String {
        let hash = Hash256(of: "client document\n\(realmID)\n\(clientID)")
        return Base64URL.encode(Array(hash.bytes.prefix(24)))
    }

    /// Whether a `client_id` is an address, of a document or of the client for development.
    static func isAddress(_ clientID: String) -> Bool {
        clientID.dropping("https://") != nil || LocalhostClient.isMeant(by: clientID)
    }
}

/// How long sessions of clients with a document last, in seconds (AT Protocol, OAuth, Tokens and
/// Session Lifetime).
enum ATLifetimes {
    static let accessToken: Int64 = 900
    private static let day: Int64 = 86_400

    /// How long one lasts unused.
    static func idle(of client: Client) -> Int64 {
        client.type == .public ? 14 * day : 90 * day
    }

    /// How long one lasts at most.
    static func most(of client: Client) -> Int64 {
        client.type == .public ? 14 * day : 730 * day
    }
}

package import PorticoProtocol

/// What a client that is registered nowhere says of itself (Client ID Metadata Document §4).
package struct DocumentedClient: Hashable, Sendable {
    package let document: ClientDocument
    /// What it authenticates with, from the document or from its `jwks_uri`; `nil`: with nothing.
    package let keys: JWKSet?

    package init(_ document: ClientDocument, keys: JWKSet?) {
        self.document = document
        self.keys = keys
    }
}

/// The document of a client as it was when a person last let the client in: their sessions are
/// shown with it, and live on without the client's site.
package struct KeptClientDocument: Hashable, Sendable {
    /// ``Client/id`` of the client.
    package var id: String
    package var realmID: String
    /// The address of the document, or that of the client for development.
    package var clientID: String
    package var document: JSONObject

    package init(id: String, realmID: String, clientID: String, document: JSONObject) {
        self.id = id
        self.realmID = realmID
        self.clientID = clientID
        self.document = document
    }
}

extension Client {
    /// What is kept of a client with a document; `nil` for a registered one.
    package var keptDocument: KeptClientDocument? {
        documented.map {
            KeptClientDocument(
                id: id,
                realmID: realmID,
                clientID: clientID,
                document: $0.document.json
            )
        }
    }
}

import PorticoProtocol
package import PorticoStores

/// A realm as requests see it: immutable, in memory, with its clients and keys at hand.
package final class LiveRealm: Sendable {
    package let realm: Realm
    package let urls: RealmURLs
    package let keys: RealmKeys
    /// Ready to be sent; the algorithms change as keys are retired.
    private let metadata: [[SignatureAlgorithm]: [UInt8]]
    private let clientsByID: [String: Client]
    private let clientsByUUID: [String: Client]

    init(realm: Realm, clients: [Client], keys: RealmKeys) {
        self.realm = realm
        self.keys = keys
        urls = RealmURLs(issuer: realm.issuer)
        let sets = Set(keys.stretches.map(\.algorithms))
        metadata = Dictionary(
            uniqueKeysWithValues: sets.map { [urls] algorithms in
                (algorithms, RealmMetadata.document(of: urls, signedWith: algorithms).serialized())
            }
        )
        clientsByID = Dictionary(clients.map { ($0.clientID, $0) }) { first, _ in first }
        clientsByUUID = Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The realm's metadata (OpenID Connect Discovery §3) at `now` (seconds since 1970).
    func metadata(at now: Int64) -> [UInt8] {
        let algorithms = keys.published(at: now).algorithms
        return metadata[algorithms]
            ?? RealmMetadata.document(of: urls, signedWith: algorithms).serialized()
    }

    /// The client of that `client_id`, enabled or not.
    package func client(clientID: String) -> Client? {
        guard let client = clientsByID[clientID], client.clientID.utf8.elementsEqual(clientID.utf8)
        else { return nil }
        return client
    }

    package func client(uuid: String) -> Client? {
        clientsByUUID[uuid]
    }

    /// All clients, in no order.
    package var clients: some Sequence<Client> { clientsByID.values }

    /// Mappers of the realm, then of the client.
    func mappers(for client: Client) -> [ClaimMapper] {
        realm.mappers + client.mappers
    }

    /// The key that signs for a client at `now` (seconds since 1970).
    func signingKey(for client: Client, at now: Int64) -> SigningKey? {
        keys.active(client.signingAlgorithm ?? realm.signingAlgorithm, at: now)
    }
}

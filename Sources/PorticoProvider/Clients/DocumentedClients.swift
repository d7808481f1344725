import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The clients whose documents were fetched lately, for look-ups that must not wait: all that a
/// request needs was fetched when it began (``ClientDocuments``).
///
/// Bounded, because strangers choose what is fetched: what was fetched longest ago goes first, and
/// is fetched again when it is needed.
final class DocumentedClients: Sendable {
    private struct Entry: Sendable {
        let client: Client
        let fetchedAt: Int64
        let bytes: Int
    }

    private struct Table: Sendable {
        var entries: [String: Entry] = [:]
        var bytes = 0

        var isOverfull: Bool {
            entries.count > DocumentedClients.most || bytes > DocumentedClients.mostBytes
        }

        mutating func remove(_ id: String) {
            bytes -= entries.removeValue(forKey: id)?.bytes ?? 0
        }
    }

    /// The most documents, and bytes of them with their key sets.
    static let most = 1024
    static let mostBytes = 8 * 1024 * 1024

    /// How long a document is believed, in seconds (Client ID Metadata Document §4.4).
    static let freshness: Int64 = 600
    /// How long while we are too busy to fetch it again.
    private static let patience: Int64 = 3600

    private let table = Locked(Table())

    /// The client of that `client_id`, however long ago its document was fetched; that for
    /// development needs none.
    func client(clientID: String, in realm: Realm) -> Client? {
        guard realm.describesItself(clientID) else { return nil }
        if LocalhostClient.isMeant(by: clientID) {
            // `try?`: where the reason could be told, it was told before.
            let document = try? LocalhostClient(clientID).document
            return document.map { Client($0, keys: nil, in: realm) }
        }
        return client(id: Client.id(ofDocument: clientID, realmID: realm.id))
    }

    /// The client of that id.
    func client(id: String) -> Client? {
        table.withLock { $0.entries[id]?.client }
    }

    /// Whether the document of that client is still believed.
    func isFresh(_ id: String, at now: Int64) -> Bool {
        wasFetched(id, within: Self.freshness, at: now)
    }

    /// Whether it is believed while no document can be fetched, because too many are.
    func isKnown(_ id: String, at now: Int64) -> Bool {
        wasFetched(id, within: Self.patience, at: now)
    }

    private func wasFetched(_ id: String, within seconds: Int64, at now: Int64) -> Bool {
        let entry = table.withLock { $0.entries[id] }
        return entry.map { (0..<seconds).contains(now - $0.fetchedAt) } ?? false
    }

    /// - Parameter bytes: The size of what was fetched.
    func keep(_ client: Client, bytes: Int, at now: Int64) {
        table.withLock { table in
            table.remove(client.id)
            table.entries[client.id] = Entry(client: client, fetchedAt: now, bytes: bytes)
            table.bytes += bytes
            guard table.isOverfull else { return }
            // Sorted once: a large one may push out all others.
            let others = table.entries.filter { $0.key != client.id }
                .sorted { $0.value.fetchedAt < $1.value.fetchedAt }
            for oldest in others where table.isOverfull { table.remove(oldest.key) }
        }
    }

    /// For tests of the bounds.
    var size: (documents: Int, bytes: Int) { table.withLock { ($0.entries.count, $0.bytes) } }
}

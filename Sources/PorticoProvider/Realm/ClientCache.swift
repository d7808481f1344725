import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The clients that were used lately, of all realms of this process: bounded in bytes, the least
/// recently used goes first.
///
/// What another process changed is forgotten when the log of changes is read (``RealmDirectory``). A
/// client that no one registered is never kept, because strangers choose its name.
package final class ClientCache: Sendable {
    /// What clients may take, in bytes, as they are estimated.
    package static let most = 24 * 1024 * 1024
    /// The longest `client_id` that is looked up, in bytes.
    static let longestName = 2048

    /// A client by its `client_id`, or by its id. The hash is made before a lock is taken, because
    /// strangers choose the text.
    struct Key: Hashable, Sendable {
        let realm: Int
        let isID: Bool
        private let text: ExactText
        private let hash: Int

        /// - Parameter realm: ``LiveRealm/generation``
        init(_ name: ClientName, realm: Int) {
            self.realm = realm
            switch name {
            case .clientID(let clientID): (isID, text) = (false, ExactText(clientID))
            case .id(let id): (isID, text) = (true, ExactText(id))
            }
            var hasher = Hasher()
            hasher.combine(realm)
            hasher.combine(isID)
            hasher.combine(text)
            hash = hasher.finalize()
        }

        static func == (one: Key, other: Key) -> Bool {
            one.hash == other.hash && one.realm == other.realm && one.isID == other.isID
                && one.text == other.text
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    private struct Entry {
        let client: CachedClient
        let realmID: String
        let name: Key
        var bytes: Int
        var lastUse: Int
    }

    private struct Table {
        /// By their ids.
        var entries: [Key: Entry] = [:]
        /// The ids of those with that `client_id`.
        var names: [Key: Key] = [:]
        var flights: [Key: Flight] = [:]
        var bytes = 0
        var uses = 0
        /// The last change that is known. What was read before it may be a former client.
        var number: Int64 = 0
        /// The generation of each realm as it is now, by the realm's id. Of others nothing is kept.
        var current: [String: Int] = [:]
        var generations = 0
        var flightCount = 0

        mutating func use(_ key: Key) -> CachedClient? {
            guard let id = key.isID ? key : names[key], let place = entries.index(forKey: id)
            else { return nil }
            uses += 1
            entries.values[place].lastUse = uses
            return entries.values[place].client
        }

        mutating func remove(_ id: Key) {
            guard let entry = entries.removeValue(forKey: id) else { return }
            names[entry.name] = nil
            bytes -= entry.bytes
        }

        /// Sorts once for many, so a tenth goes at a time.
        mutating func shrink(to most: Int) {
            guard bytes > most else { return }
            for (key, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                guard bytes > most - most / 10 else { return }
                remove(key)
            }
        }
    }

    private struct Flight: Sendable {
        let id: Int
        let task: Task<CachedClient?, any Error>
    }

    private let most: Int
    private let table: Locked<Table>

    /// - Parameter most: What clients may take, in bytes.
    package init(most: Int = ClientCache.most) {
        self.most = most
        table = Locked(Table())
    }

    /// What tells the clients of a realm, as it is now, from those of the realm as it was before.
    func newGeneration() -> Int {
        table.withLock { table in
            table.generations += 1
            return table.generations
        }
    }

    /// The client, if it is in memory.
    func kept(_ key: Key) -> CachedClient? { table.withLock { $0.use(key) } }

    /// The client, from memory or read once, however many ask for it meanwhile.
    ///
    /// - Parameters:
    ///   - read: Reads it.
    ///   - make: Makes what is kept of it.
    func client(
        _ key: Key,
        _ read: @escaping @Sendable () async throws -> ClientReading,
        make: @escaping @Sendable (ClientReading.Found) -> CachedClient
    ) async throws -> CachedClient? {
        let (kept, flight) = table.withLock { table -> (CachedClient?, Flight?) in
            // It may have landed since it was missed.
            if let kept = table.use(key) { return (kept, nil) }
            if let flight = table.flights[key] { return (nil, flight) }
            table.flightCount += 1
            let id = table.flightCount
            let task = Task<CachedClient?, any Error> {
                defer { self.landed(key, id) }
                let reading = try await read()
                guard let found = reading.found else { return nil }
                let client = make(found)
                self.keep(client, of: key, readAt: reading.number)
                return client
            }
            let flight = Flight(id: id, task: task)
            table.flights[key] = flight
            return (nil, flight)
        }
        if let kept { return kept }
        return try await flight?.task.value
    }

    private func landed(_ key: Key, _ id: Int) {
        table.withLock { table in
            if table.flights[key]?.id == id { table.flights[key] = nil }
        }
    }

    /// Not what takes more than its share, and not what was read before a change that is known: it may
    /// be the former client.
    private func keep(_ client: CachedClient, of key: Key, readAt number: Int64) {
        let id = Key(.id(client.client.id), realm: key.realm)
        let name = Key(.clientID(client.client.clientID), realm: key.realm)
        let realmID = client.client.realmID
        guard client.bytes <= most / 16 else { return }
        table.withLock { table in
            guard number >= table.number, table.current[realmID] == key.realm else { return }
            table.remove(id)
            table.uses += 1
            table.entries[id] = Entry(
                client: client,
                realmID: realmID,
                name: name,
                bytes: client.bytes,
                lastUse: table.uses
            )
            table.names[name] = id
            table.bytes += client.bytes
            table.shrink(to: most)
        }
    }

    /// Adds to what a client takes, for what was made of it later.
    func charge(_ bytes: Int, to client: CachedClient, _ id: Key) {
        table.withLock { table in
            guard let entry = table.entries[id], entry.client === client else { return }
            table.entries[id]?.bytes += bytes
            table.bytes += bytes
            table.shrink(to: most)
        }
    }

    /// Forgets what changed. What is being read now may be from before, and is shared with no one who
    /// asks later.
    ///
    /// - Parameters:
    ///   - clients: Those that changed alone.
    ///   - realms: The generations of realms that changed, by the realm's id; `nil` for one that is gone.
    ///   - number: Of the last change.
    func forget(_ clients: [RealmChange], _ realms: [String: Int?], at number: Int64) {
        table.withLock { table in
            table.number = max(table.number, number)
            table.flights = [:]
            for (realmID, generation) in realms { table.current[realmID] = generation }
            for client in clients {
                guard let id = client.clientID, let generation = table.current[client.realmID]
                else { continue }
                table.remove(Key(.id(id), realm: generation))
            }
            guard !realms.isEmpty else { return }
            for (key, entry) in table.entries where realms[entry.realmID] != nil {
                table.remove(key)
            }
        }
    }

    /// How many clients are in memory, and the bytes that they are estimated to take.
    package var size: (clients: Int, bytes: Int) {
        table.withLock { ($0.entries.count, $0.bytes) }
    }
}

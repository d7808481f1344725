import PorticoBytes
import PorticoProtocol

/// What processes hold in memory of a realm: everything but its people and clients.
package struct RealmContents: Sendable {
    package let realm: Realm
    package let keys: [SigningKeyRecord]
    package let keptKeys: [KeptKey]
    package let scopes: [ClientScope]
    /// The roles that scopes show.
    package let limits: [RoleLimit.Owner: Set<RoleName>]
    /// What roles contain, and the groups.
    package let graph: RoleGraph
}

/// What a client is looked up by.
package enum ClientName: Sendable {
    /// `client_id`, compared as bytes.
    case clientID(String)
    /// ``Client/id``
    case id(String)
}

/// A client as it is looked up.
package struct ClientReading: Sendable {
    package struct Found: Sendable {
        package let client: Client
        /// The roles that it sees besides its own, where it does not see all.
        package let limits: Set<RoleName>
        /// The length of what is kept of it, in bytes.
        package let size: Int
    }

    /// Enabled or not; `nil`: there is none of that name.
    package let found: Found?
    /// Of the last change that was there when it was read.
    package let number: Int64
}

/// What the clients of a realm registered for scripts of an origin.
package struct RegisteredOrigin: Hashable, Sendable {
    /// Whether a client has registered it,
    package let isKnown: Bool
    /// and one whose scripts send cookies along.
    package let sendsCookies: Bool
    /// Whether a client has registered every origin.
    package let isAnyKnown: Bool
}

/// Reading realms and clients: each by an index, and no more than is asked for.
extension RealmStore {
    /// All realms in the order of their names.
    package func realms() async throws -> [Realm] {
        try await database.scan { try $0.allRealms() }
    }

    /// The realm of that name.
    package func realm(named name: String) async throws -> Realm? {
        guard Realm.isName(name) else { return nil }
        return try await database.read { reader in
            try reader.first(
                "SELECT id, name, issuer, settings FROM realms WHERE name = $1",
                [.text(name)],
                decode: Realm.init(row:)
            ).map(reader.withDefaults)
        }
    }

    /// The realm of that id.
    package func realm(id: String) async throws -> Realm? {
        try await database.read { try $0.realm(id: id) }
    }

    /// The signing keys of a realm, in the order in which they are used.
    package func keys(realmID: String) async throws -> [SigningKeyRecord] {
        try await database.read { try $0.keys(realmID: realmID) }
    }

    package func keptKeys(realmID: String) async throws -> [KeptKey] {
        try await database.read { try $0.keptKeys(realmID: realmID) }
    }

    /// What a realm's roles and groups amount to.
    package func roleGraph(realmID: String) async throws -> RoleGraph {
        try await database.scan { try $0.roleGraph(realmID: realmID) }
    }

    /// A client with what it is used with.
    package func reading(of name: ClientName, realmID: String) async throws -> ClientReading {
        try await database.read { reader in
            let found = try reader.client(name, realmID: realmID)
            return ClientReading(
                found: try found.map { client, size in
                    ClientReading.Found(
                        client: client,
                        limits: client.seesAllRoles
                            ? [] : try reader.limits(ofClient: client.id),
                        size: size
                    )
                },
                number: try reader.lastChange()
            )
        }
    }

    /// A client, enabled or not.
    package func client(_ name: ClientName, realmID: String) async throws -> Client? {
        try await database.read { try $0.client(name, realmID: realmID)?.client }
    }

    /// Whether the realm has a client of that `client_id`.
    package func hasClient(_ clientID: String, realmID: String) async throws -> Bool {
        try await database.read { reader in
            try reader.hasRow(
                """
                SELECT 1 FROM clients
                WHERE realm_id = $1 AND client_id = $2 AND source <> 'document'
                """,
                [.text(realmID), .text(clientID)]
            )
        }
    }

    /// How many clients a realm has.
    package func clientCount(realmID: String) async throws -> Int {
        try await database.read { reader in
            let count = try reader.first(
                "SELECT COUNT(*) FROM clients WHERE realm_id = $1 AND source <> 'document'",
                [.text(realmID)]
            ) { try $0.int64(0) }
            return count.map { Int($0) } ?? 0
        }
    }

    /// Clients of a realm, enabled or not, in the order of their `client_id`s' bytes.
    ///
    /// - Parameter clientID: The last one of the page before.
    package func clients(realmID: String, after clientID: String?, limit: Int) async throws
        -> [Client]
    {
        try await database.scan {
            try $0.clients(realmID: realmID, after: clientID, limit: limit)
        }
    }

    /// The clients of a realm that are wanted, in the same order, read a page at a time.
    ///
    /// - Parameters:
    ///   - first: How many of them are passed over.
    ///   - most: How many are returned at most.
    package func clients(
        realmID: String,
        first: Int = 0,
        most: Int = .max,
        where isWanted: (Client) throws -> Bool = { _ in true }
    ) async throws -> [Client] {
        var (found, passed, last): ([Client], Int, String?) = ([], 0, nil)
        while found.count < most {
            let page = try await clients(realmID: realmID, after: last, limit: 500)
            for client in page where try found.count < most && isWanted(client) {
                if passed < first { passed += 1 } else { found.append(client) }
            }
            guard page.count == 500 else { break }
            last = page.last?.clientID
        }
        return found
    }

    /// What clients of a realm registered for scripts of an origin; `nil` where none has registered
    /// any.
    ///
    /// - Parameter origin: `nil`: of no origin.
    package func origin(_ origin: String?, realmID: String) async throws -> RegisteredOrigin? {
        try await database.read { reader in
            let any: SQLText = """
                SELECT 1 FROM client_addresses WHERE realm_id = $1 AND kind = 'origin' LIMIT 1
                """
            guard try reader.hasRow(any, [.text(realmID)]) else { return nil }
            func marks(of address: String) throws -> [Bool] {
                try reader.rows(
                    """
                    SELECT MAX(sends_cookies) FROM client_addresses
                    WHERE realm_id = $1 AND kind = 'origin' AND address = $2 GROUP BY address
                    """,
                    [.text(realmID), .text(address)]
                ) { try $0.int64(0) == 1 }
            }
            let known = try origin.map { try marks(of: $0) } ?? []
            return RegisteredOrigin(
                isKnown: !known.isEmpty,
                sendsCookies: known.contains(true),
                isAnyKnown: try !marks(of: "*").isEmpty
            )
        }
    }

    /// Origins whose scripts send cookies along, some of them where there are many.
    package func originsWithCookies(realmID: String, limit: Int) async throws -> [String] {
        try await database.read { reader in
            try reader.rows(
                """
                SELECT DISTINCT address FROM client_addresses
                WHERE realm_id = $1 AND sends_cookies = 1 AND address <> '*'
                ORDER BY address LIMIT $2
                """,
                [.text(realmID), .int64(Int64(limit))]
            ) { try $0.text(0) }
        }
    }

    /// The `client_id`s of clients of a realm that registered a private-use scheme, without its colon
    /// and in small letters.
    package func clients(withScheme scheme: String, realmID: String) async throws -> [String] {
        try await database.read { reader in
            try reader.rows(
                """
                SELECT c.client_id FROM client_addresses AS a JOIN clients AS c ON c.id = a.client_id
                WHERE a.realm_id = $1 AND a.kind = 'scheme' AND a.address = $2
                ORDER BY c.client_id LIMIT 100
                """,
                [.text(realmID), .text(scheme)]
            ) { try $0.text(0) }
        }
    }
}

extension SQLReader {
    /// All that may be seen, in the order of their names.
    func allRealms() throws -> [Realm] {
        try rows(
            """
            SELECT id, name, issuer, settings FROM realms
            WHERE substr(name, 1, 1) <> '~' ORDER BY name
            """,
            [],
            decode: Realm.init(row:)
        ).map(withDefaults)
    }

    /// The realm of that id, if it may be seen.
    func realm(id: String) throws -> Realm? {
        try first(
            """
            SELECT id, name, issuer, settings FROM realms
            WHERE id = $1 AND substr(name, 1, 1) <> '~'
            """,
            [.text(id)],
            decode: Realm.init(row:)
        ).map(withDefaults)
    }

    func contents(of realm: Realm) throws -> RealmContents {
        RealmContents(
            realm: realm,
            keys: try keys(realmID: realm.id),
            keptKeys: try keptKeys(realmID: realm.id),
            scopes: try scopes(realmID: realm.id),
            limits: Dictionary(grouping: try limitsOfScopes(realmID: realm.id), by: \.owner)
                .mapValues { Set($0.map(\.role)) },
            graph: try roleGraph(realmID: realm.id)
        )
    }

    func clients(realmID: String, after clientID: String?, limit: Int) throws -> [Client] {
        try rows(
            """
            SELECT id, realm_id, client_id, source, settings FROM clients
            WHERE realm_id = $1 AND client_id > $2 AND source <> 'document'
            ORDER BY client_id LIMIT $3
            """,
            [.text(realmID), .text(clientID ?? ""), .int64(Int64(limit))],
            decode: Client.init(row:)
        ).map(withScopes)
    }

    /// With the length of what is kept of it.
    fileprivate func client(_ name: ClientName, realmID: String) throws -> (
        client: Client, size: Int
    )? {
        func decode(_ row: any SQLRow) throws -> (client: Client, size: Int) {
            (try Client(row: row), try row.text(4).utf8.count)
        }
        let found =
            switch name {
            case .clientID(let clientID):
                try first(
                    """
                    SELECT id, realm_id, client_id, source, settings FROM clients
                    WHERE realm_id = $1 AND client_id = $2 AND source <> 'document'
                    """,
                    [.text(realmID), .text(clientID)],
                    decode: decode
                )
            case .id(let id):
                try first(
                    """
                    SELECT id, realm_id, client_id, source, settings FROM clients
                    WHERE realm_id = $1 AND id = $2 AND source <> 'document'
                    """,
                    [.text(realmID), .text(id)],
                    decode: decode
                )
            }
        return try found.map { (try withScopes($0.client), $0.size) }
    }
}

extension SQLTransaction {
    /// Writes what a client is found by besides its names.
    func keepFindable(_ client: Client) throws {
        try run("DELETE FROM client_addresses WHERE client_id = $1", [.text(client.id)])
        func put(_ kind: String, _ address: String, sendsCookies: Bool = false) throws {
            try run(
                """
                INSERT INTO client_addresses (realm_id, kind, address, client_id, sends_cookies)
                VALUES ($1, $2, $3, $4, $5)
                """,
                [
                    .text(client.realmID), .text(kind), .text(address), .text(client.id),
                    .int64(sendsCookies ? 1 : 0),
                ]
            )
        }
        for scheme in client.privateUseSchemes.sorted() { try put("scheme", scheme) }
        if client.handOff.form != .none {
            try put("hand_off", client.handOff.form.rawValue)
            try keepHandOff(of: client)
        }
        guard client.isEnabled, !client.webOrigins.isEmpty else { return }
        let registered = client.registeredOrigins
        let sendsCookies = client.compatibility.contains(.credentials)
        for origin in registered.origins { try put("origin", origin, sendsCookies: sendsCookies) }
        if registered.allowsAny { try put("origin", "*") }
    }
}

extension Client {
    /// The private-use schemes of its redirect URIs. Schemes are case-insensitive (RFC 3986 §3.1).
    package var privateUseSchemes: Set<String> {
        guard redirectRule != .patterns else { return [] }
        return Set(
            redirectURIs.filter { $0.kind == .privateUseScheme }.map { $0.scheme.lowercased() }
        )
    }

    /// Pages of the server's own origin, which relative addresses may mean, need no permission.
    fileprivate var registeredOrigins: OriginPatterns {
        let redirects = RedirectPatterns(
            redirectURIs.map(\.text),
            rootURL: rootURI,
            serverOrigin: ""
        )
        return OriginPatterns(webOrigins, redirects: redirects)
    }
}

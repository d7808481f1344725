import PorticoStores
import PorticoTestSupport
import Testing

/// A database that the contracts are held against. Adding one here runs every contract on it.
enum StoreUnderTest: String, CaseIterable, CustomTestStringConvertible {
    case sqliteInMemory = "SQLite in memory"
    case sqliteFile = "SQLite in a file"

    var testDescription: String { rawValue }

    /// An empty, migrated database of its own.
    func empty() throws -> TestDatabase {
        switch self {
        case .sqliteInMemory: try .inMemory()
        case .sqliteFile: try .inFile()
        }
    }

    /// With one realm, one client, and Ann, signed in.
    func furnished() async throws -> TestDatabase {
        let stores = try empty()
        #expect(try await stores.realms.create(Example.newRealm) == .created)
        try await stores.sessions.start(Example.session, replacing: nil, upgrading: nil)
        return stores
    }
}

/// Runs `body` at once in `count` tasks.
///
/// - Returns: What they answered.
func concurrently<Answer: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) async throws -> Answer
) async throws -> [Answer] {
    try await withThrowingTaskGroup { group in
        for index in 0..<count { group.addTask { try await body(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension Sequence where Element: Equatable {
    func count(of element: Element) -> Int {
        reduce(0) { $0 + ($1 == element ? 1 : 0) }
    }
}

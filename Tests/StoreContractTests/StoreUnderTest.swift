import PorticoStores
import PorticoTestSupport
import Testing

/// A database that the contracts are held against. Adding one here runs every contract on it.
enum StoreUnderTest: String, CaseIterable, CustomTestStringConvertible {
    case sqliteInMemory = "SQLite in memory"
    case sqliteFile = "SQLite in a file"

    /// The database that the test runs on now.
    @TaskLocal static var current = sqliteInMemory

    var testDescription: String { rawValue }

    /// An empty database of its own, with the schema.
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
        try await stores.start(Example.session)
        return stores
    }

    static func empty() throws -> TestDatabase { try current.empty() }

    static func furnished() async throws -> TestDatabase { try await current.furnished() }
}

/// Runs each test of a suite once on every database; an issue says on which.
struct EveryDatabase: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        for database in StoreUnderTest.allCases {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append(Comment(rawValue: database.rawValue))
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                try await StoreUnderTest.$current.withValue(database, operation: body)
            }
        }
    }
}

extension Trait where Self == EveryDatabase {
    static var everyDatabase: Self { Self() }
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

import Logging
import PorticoBytes
import PorticoSQLite
import PorticoStores

/// Whether what has to last can be written: by doing what a redemption does, for `/readyz` and while it
/// is known that it cannot. The log has it in words when it begins and when it ends.
struct StorageCheck: Sendable {
    private let database: SQLiteDatabase
    private let clock: Clock

    init(_ installation: Installation, logger: Logger) {
        database = installation.database
        clock = installation.clock
        database.writeTrouble.tell { error in
            guard let why = error?.whyUnwritable else {
                return logger.notice("database can be written again")
            }
            logger.error("database cannot be written", metadata: ["why": .string("\(why)")])
        }
    }

    /// Whether a write has found that nothing can be written.
    var hasTrouble: Bool { database.writeTrouble.error != nil }

    /// - Throws: What is wrong.
    func callAsFunction() async throws {
        _ = try await RealmStore(database).lastChange()
        try await WriteProbeStore(database).write(at: clock.moment().seconds)
        database.writeTrouble.end()
    }

    /// Finds out whether it can be written again, where it is known that it cannot.
    func retry() async throws {
        guard database.writeTrouble.error != nil else { return }
        try await callAsFunction()
    }
}

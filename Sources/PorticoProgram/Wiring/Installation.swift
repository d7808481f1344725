import PorticoBytes
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoSystem

/// An opened data directory: the stores and the key ring.
struct Installation: Sendable {
    let settings: Settings
    let directory: DataDirectory
    let ring: KeyRing
    let database: SQLiteDatabase
    let clock: Clock

    var realms: RealmStore { RealmStore(database) }
    var people: PersonStore { PersonStore(database) }
    var sessions: BrowserSessionStore { BrowserSessionStore(database) }
    var grants: GrantStore { GrantStore(database) }
    var mailboxes: PersonMailboxStore { PersonMailboxStore(database) }
    var accounts: AccountStore { AccountStore(database) }
    var outbox: OutboxStore { OutboxStore(database) }
    var audit: AuditStore { AuditStore(database) }
    var handles: HandleSessionStore { HandleSessionStore(database) }
    var backend: BackendConfigurationStore { BackendConfigurationStore(database) }
    var logoutDeliveries: LogoutDeliveryStore { LogoutDeliveryStore(database) }
    var pushedRequests: PushedRequestStore { PushedRequestStore(database) }
    var writeProbe: WriteProbeStore { WriteProbeStore(database) }

    /// What to do if the folder has no data yet.
    enum Missing {
        case create
        case fail
        /// Use an empty database in memory, for a dry run.
        case pretend
    }

    /// - Parameter isDryRun: Writes nothing, not even to migrate an older database.
    static func open(
        _ settings: Settings,
        missing: Missing,
        isDryRun: Bool = false,
        clock: Clock = .system
    ) throws -> Installation {
        let directory = DataDirectory(path: settings.dataDirectory)
        let random = RandomSource.system
        if !directory.hasDatabase {
            switch missing {
            case .create: try directory.create()
            case .fail:
                throw directory.missing
            case .pretend:
                return Installation(
                    settings: settings,
                    directory: directory,
                    ring: try KeyRing(random: random),
                    database: try SQLiteDatabase(inMemory: ()),
                    clock: clock
                )
            }
        }
        let ring = try directory.openKeyRing(random: random)
        do {
            return Installation(
                settings: settings,
                directory: directory,
                ring: ring,
                database: isDryRun
                    ? try SQLiteDatabase(lookingAt: directory.database)
                    : try SQLiteDatabase(file: directory.database),
                clock: clock
            )
        } catch let error as DatabaseOpeningError {
            throw Failure(
                .database,
                "\(printable(directory.database)) cannot be opened.",
                advice: [error.description] + error.advice
            )
        }
    }

    func close() async throws {
        try await database.close()
    }

    /// Provides a thread for hashing passwords while `body` runs.
    func registering<Value>(_ body: (PersonRegistration) async throws -> Value) async throws
        -> Value
    {
        let hashing = PasswordHashing(threads: 1, mostWaiting: 0, random: .system)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(PersonRegistration(hashing: hashing)))
        } catch {
            result = .failure(error)
        }
        await hashing.shutDown()
        return try result.get()
    }
}

extension DatabaseOpeningError {
    /// What the operator can do about it.
    fileprivate var advice: [String] {
        switch self {
        case .newerSchema:
            ["Run that version, or restore a backup from before the upgrade."]
        case .corrupt: ["Restore the whole folder from your backup."]
        case .cannotOpen: ["Check that it belongs to the user who runs portico."]
        case .foreign: ["Choose another folder: --data-directory PATH"]
        case .noWriteAheadLog: ["Choose a folder on a disk of this machine: --data-directory PATH"]
        case .cannotCreateFolder, .locked, .other: []
        }
    }
}

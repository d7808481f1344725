import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoSystem
import PorticoWeb

/// An opened data directory: the stores and the key ring.
struct Installation: Sendable {
    let settings: Settings
    let directory: DataDirectory
    let ring: KeyRing
    let database: SQLiteDatabase
    let clock: Clock

    var realms: RealmStore { RealmStore(database) }
    var people: PersonStore { PersonStore(database) }
    var sessions: SessionStore { SessionStore(database) }
    var grants: GrantStore { GrantStore(database) }
    var mailboxes: PersonMailboxStore { PersonMailboxStore(database) }
    var accounts: AccountStore { AccountStore(database) }
    var outbox: OutboxStore { OutboxStore(database) }
    var handles: HandleSessionStore { HandleSessionStore(database) }
    var backend: BackendConfigurationStore {
        BackendConfigurationStore(database, files: FileProvider.files(ring: ring))
    }
    /// Of identity providers, those of realms' files included.
    var providerSecrets: ProviderSecrets {
        let ring = ring
        return ProviderSecrets(ring: ring) { try FileProvider.secret(of: $0, ring: ring) }
    }
    var logoutDeliveries: LogoutDeliveryStore { LogoutDeliveryStore(database) }
    var pushedRequests: PushedRequestStore { PushedRequestStore(database) }

    /// The public URL: the one set, else that of the running server.
    var publicURL: String { settledPublicURL?.origin ?? settings.effectivePublicURL }

    /// `nil`: no public URL is set, and no server runs.
    var settledPublicURL: PublicURL? { settings.publicURL ?? ServerLock.servedURL(directory) }

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
        if try !directory.hasDatabase() {
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
            throw Failure(opening: directory, error, DiskRoom(at: directory.path))
        }
    }

    /// Before a realm is made below ``publicURL``: a server does not start with realms below several
    /// addresses (docs/decisions/0036).
    func expectOneAddress() async throws {
        // The backend's follows the server until it has a client.
        var moving = try await backend.configuration().realm?.id
        if let id = moving, try await !realms.clients(realmID: id, most: 1).isEmpty {
            moving = nil
        }
        let settled = try await realms.realms().filter { $0.id != moving }
        let bases = settled.compactMap { realm -> String? in
            // Without it, the realm has a host of its own.
            let suffix = "/realms/\(realm.name)"
            guard realm.issuer.hasSuffix(suffix) else { return nil }
            return String(realm.issuer.dropLast(suffix.count))
        }
        guard let other = bases.first, !bases.contains(publicURL) else { return }
        throw Failure(
            .issuerMismatch,
            "The realms of \(printable(directory.path)) are below \(other), and a new one would be "
                + "below \(publicURL): no server serves both.",
            "Nothing was made. Add: --public-url \(other)",
            "Or use a folder of its own: --data-directory PATH"
        )
    }

    func close() async throws {
        try await database.close()
    }

    /// Provides a thread for hashing passwords while `body` runs.
    func registering<Value>(_ body: (PersonRegistration) async throws -> Value) async throws
        -> Value
    {
        let hashing = PasswordHashing(threads: 1, mostWaiting: 0, random: .system)
        return try await finally(hashing.shutDown) {
            try await body(PersonRegistration(hashing: hashing))
        }
    }

    /// Lends a command what makes changes to realms.
    func changing<Value>(_ body: (RealmAdministration) async throws -> Value) async throws -> Value
    {
        try await registering { try await body(administration($0)) }
    }
}

extension Installation {
    /// - Parameter refreshing: Called after each change.
    func administration(
        _ registration: PersonRegistration,
        refreshing: @escaping @Sendable () async throws -> Void = {}
    ) -> RealmAdministration {
        RealmAdministration(
            store: realms,
            people: people,
            sessions: sessions,
            ring: ring,
            registration: registration,
            clock: clock,
            refreshing: refreshing
        )
    }
}

/// Runs `body`, and then `last` whatever came of it.
func finally<Value>(_ last: () async throws -> Void, _ body: () async throws -> Value) async throws
    -> Value
{
    let result: Result<Value, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    try await last()
    return try result.get()
}

extension Failure {
    /// That a database cannot be opened. A full disk comes first, then what cannot be written: other
    /// reasons are told wrongly then.
    init(opening directory: DataDirectory, _ error: DatabaseOpeningError, _ room: DiskRoom?) {
        let advice: [String]
        if error.mayBeRoom, let room, room.isNone {
            advice = ["The disk is full: \(room.text) free.", DiskRoom.remedy(directory.path)]
        } else if error.mayBeRoom, let why = directory.whyReadOnly {
            advice = [why.what, why.remedy]
        } else {
            advice = [error.description] + error.advice(directory)
        }
        self.init(.database, "\(printable(directory.database)) cannot be opened.", advice: advice)
    }
}

extension DatabaseOpeningError {
    /// Whether it is what a full disk leads to, or one that cannot be written.
    fileprivate var mayBeRoom: Bool {
        switch self {
        case .cannotOpen, .cannotCreateFolder, .readOnly, .noWriteAheadLog, .other: true
        case .locked, .corrupt, .newerSchema, .olderSchema, .foreign: false
        }
    }

    fileprivate func advice(_ directory: DataDirectory) -> [String] {
        switch self {
        case .newerSchema:
            ["Install that version, or restore a backup from before the upgrade."]
        case .olderSchema:
            [
                "Start anew in another folder: --data-directory PATH",
                "To keep its realms, export them first with the version that wrote it: "
                    + "portico realm export REALM --with-users --with-keys -o FILE",
            ]
        case .corrupt: ["Restore the whole folder from your backup."]
        case .cannotOpen, .readOnly:
            [
                FileOwner(directory.database).flatMap { $0.isOwn ? nil : $0.remedy("600") }
                    ?? "Check that it belongs to the user who runs portico."
            ]
        case .foreign: ["Choose another folder: --data-directory PATH"]
        case .noWriteAheadLog: ["Choose a folder on a disk of this machine: --data-directory PATH"]
        case .cannotCreateFolder, .locked, .other: []
        }
    }
}

extension Installation {
    /// The passwords of the cookie `sid`: from the file that a setting names, or else from the data
    /// folder (docs/decisions/0060).
    ///
    /// - Parameter isNeeded: Whether the data folder gets a file with a new one if it has none.
    /// - Returns: `nil` if there are none, and none are needed.
    func sealPasswords(isNeeded: Bool) throws(Failure) -> IronPasswords? {
        let path = settings.sidPasswordFile ?? directory.sealPasswords
        do throws(IronPasswords.FileRefusal) {
            guard settings.sidPasswordFile == nil, isNeeded else {
                return try IronPasswords.load(path)
            }
            return try IronPasswords.loadOrCreate(path, random: .system)
        } catch .file(.missing) where settings.sidPasswordFile == nil {
            return nil
        } catch {
            let form =
                "It has a line for each password, the newest last: an id, a space, the password."
            throw Failure(
                .wrongValue,
                "\(printable(path)): \(error.explanation)",
                error == .file(.exposed) ? FileOwner.remedy(path) ?? form : form
            )
        }
    }
}

extension IronPasswords.FileRefusal {
    fileprivate var explanation: String {
        switch self {
        case .file(.missing): "There is no such file."
        case .file(.exposed):
            "It can be read by others. It must belong to the user that runs portico and have mode 0600."
        case .file(.notAFile): "It is not a regular file."
        case .file: "It cannot be read, or is too long."
        case .line(let number): "Line \(number) is no id, space and password."
        case .passwords(let error): "\(error)"
        }
    }
}

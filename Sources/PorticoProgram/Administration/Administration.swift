import Foundation
import PorticoBytes
import PorticoProvider
import PorticoStores

/// What a command that administers realms works with.
struct Administration: Sendable {
    let installation: Installation
    let snapshot: RealmSnapshotRecord
    let console: Console

    var moment: Moment { installation.clock.moment() }

    /// Opens the data directory for `body`, and closes it whatever happens.
    ///
    /// - Parameter change: Where the command changes something; in a dry run nothing can be written.
    static func run(
        _ place: DataDirectoryOptions,
        changing change: ChangeOptions? = nil,
        publicURL: String? = nil,
        missing: Installation.Missing = .fail,
        _ console: Console,
        _ body: (Administration) async throws -> Void
    ) async throws {
        var options = place.values
        options["public-url"] = publicURL.map { [$0] }
        let reader = try await SettingsReader(
            options: options,
            file: place.config,
            environment: ProcessInfo.processInfo.environment
        )
        let installation = try Installation.open(
            reader.settings().settings,
            missing: missing,
            isDryRun: change?.dryRun ?? false
        )
        let result: Result<Void, any Error>
        do {
            let administration = Administration(
                installation: installation,
                snapshot: try await installation.realms.snapshot(),
                console: console
            )
            result = .success(try await body(administration))
        } catch {
            result = .failure(error)
        }
        try await installation.close()
        try result.get()
    }

    /// The realm of that name, or the only one where no name was given.
    func realm(_ name: String?) throws(Failure) -> Realm {
        let names = snapshot.realms.map(\.name).sorted()
        guard let name else {
            guard snapshot.realms.count == 1, let only = snapshot.realms.first else {
                throw names.isEmpty
                    ? Failure(.notFound, "There is no realm yet.", "portico realm create NAME")
                    : Failure(
                        .realmUnclear,
                        "There are several realms: \(names.joined(separator: ", ")).",
                        "Say which one: --realm \(names[0])"
                    )
            }
            return only
        }
        guard let realm = snapshot.realms.first(where: { $0.name == name }) else {
            throw missing("realm", name, among: names, "portico realm list")
        }
        return realm
    }

    func clients(of realm: Realm) -> [Client] {
        snapshot.clients.filter { $0.realmID == realm.id }.sorted { $0.clientID < $1.clientID }
    }

    func client(_ clientID: String, in realm: Realm) throws(Failure) -> Client {
        let clients = clients(of: realm)
        guard let client = clients.first(where: { $0.clientID == clientID }) else {
            throw missing(
                "client",
                clientID,
                among: clients.map(\.clientID),
                "portico client list --realm \(realm.name)"
            )
        }
        return client
    }

    /// The person of that user name, or of that id; nobody where two people have it, the one as the
    /// name and the other as the id: names are chosen by strangers, before an import.
    func person(_ name: String, in realm: Realm) async throws -> PersonCredentials {
        let people = installation.people
        let named = try await people.credentials(
            realmID: realm.id,
            login: LoginName.folded(name),
            byEmail: false
        )
        guard let found = try await people.person(id: name, realmID: realm.id)?.person,
            found.id != named?.person.id
        else {
            if let named { return named }
            throw missing("user", name, among: [], "portico user list --realm \(realm.name)")
        }
        if let named {
            throw Failure(
                .wrongValue,
                "\(printable(name)) is the username of one person and the id of another.",
                "Name them by the id \(named.person.id), or by the username \(found.username)."
            )
        }
        let credentials = try await people.credentials(
            realmID: realm.id,
            login: found.username,
            byEmail: false
        )
        guard let credentials else {
            throw missing("user", name, among: [], "portico user list --realm \(realm.name)")
        }
        return credentials
    }

    /// - Parameter list: The command that shows what there is.
    func missing(_ kind: String, _ name: String, among names: [String], _ list: String) -> Failure {
        let nearest = Suggestion.nearest(to: name, among: names)
        return Failure(
            .notFound,
            "There is no \(kind) \"\(printable(name))\".",
            advice: (nearest.map { ["Did you mean \"\($0)\"?"] } ?? []) + ["See all: \(list)"]
        )
    }

    /// Changes something that the store may not find any more.
    func expectChanged(_ change: Change, _ what: String) throws(Failure) {
        guard change == .changed else {
            throw Failure(.notFound, "\(what) was deleted meanwhile.", "Nothing was changed.")
        }
    }

    func dryRun(_ text: String) {
        console.done("Would have \(text). Nothing written (dry run).")
    }
}

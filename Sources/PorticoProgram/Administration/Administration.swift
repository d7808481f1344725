import PorticoBytes
import PorticoProvider
import PorticoStores

struct Administration: Sendable {
    let installation: Installation
    /// All realms, without what is in them, as they were when the command began.
    let realmList: [Realm]
    let console: Console
    var isDryRun = false

    var moment: Moment { installation.clock.moment() }
    var realms: RealmStore { installation.realms }
    var people: PersonStore { installation.people }
    var accounts: AccountStore { installation.accounts }

    /// The realm of that name, or the only one where no name was given.
    func realm(_ name: String?) throws(Failure) -> Realm {
        let names = realmList.map(\.name).sorted()
        guard let name else {
            guard realmList.count == 1, let only = realmList.first else {
                throw names.isEmpty
                    ? Failure(
                        .notFound,
                        "No realms yet.",
                        "Create one: \(portico("realm create NAME"))"
                    )
                    : Failure(
                        .realmUnclear,
                        "There are several realms: \(names.joined(separator: ", ")).",
                        "Say which one: --realm \(names[0])"
                    )
            }
            return only
        }
        return try find("realm", name, among: realmList, by: \.name, portico("realm list"))
    }

    /// In the order of their `client_id`s.
    func clients(of realm: Realm) async throws -> [Client] {
        try await realms.clients(realmID: realm.id)
    }

    func client(_ clientID: String, in realm: Realm) async throws -> Client {
        if let client = try await realms.client(.clientID(clientID), realmID: realm.id) {
            return client
        }
        throw missing(
            "client",
            clientID,
            // Only for what it may be that was meant.
            among: try await realms.clients(realmID: realm.id, most: 1000).map(\.clientID),
            portico("client list --realm \(realm.name)")
        )
    }

    /// The person with that username or id. Fails where it is the username of one person and the id
    /// of another: usernames are chosen by strangers, before an import.
    func person(_ name: String, in realm: Realm) async throws -> PersonCredentials {
        let list = portico("user list --realm \(realm.name)")
        let named = try await people.credentials(
            realmID: realm.id,
            login: LoginName.folded(name),
            byEmail: false
        )
        guard let found = try await people.person(id: name, realmID: realm.id)?.person,
            found.id != named?.person.id
        else {
            if let named { return named }
            throw missing("user", name, among: [], list)
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
            throw missing("user", name, among: [], list)
        }
        return credentials
    }

    /// The item of exactly that name.
    ///
    /// - Parameter list: The command that lists all of that kind.
    func find<Item>(
        _ kind: String,
        _ name: String,
        among items: [Item],
        by key: (Item) -> String,
        _ list: String
    ) throws(Failure) -> Item {
        guard let item = items.first(where: { sameBytes(key($0), name) }) else {
            throw missing(kind, name, among: items.map(key), list)
        }
        return item
    }

    func missing(_ kind: String, _ name: String, among names: [String], _ list: String) -> Failure {
        let nearest = Suggestion.nearest(to: name, among: names)
        return Failure(
            .notFound,
            "There is no \(kind) \"\(printable(name))\".",
            advice: (nearest.map { ["Did you mean \"\($0)\"?"] } ?? []) + ["See all: \(list)"]
        )
    }

    /// - Throws: `exists` where another person of the realm has the username, the address or the DID. A
    ///   dry run has no other way to know.
    func expectFree(_ person: Person, in realm: Realm, or taken: @autoclosure () -> Failure)
        async throws
    {
        let names = try await people.owners(
            usernames: [person.username],
            emails: [person.email].compactMap(\.self),
            realmID: realm.id
        )
        let accounts = try await people.owners(
            dids: [person.did].compactMap(\.self),
            serviceClients: [],
            realmID: realm.id
        )
        let owners =
            Array(names.usernames.values) + Array(names.emails.values)
            + Array(accounts.dids.values)
        guard owners.allSatisfy({ $0 == person.id }) else { throw taken() }
    }

    /// Changes something that the store may not find any more.
    func expectChanged(_ change: Change, _ what: String) throws(Failure) {
        guard change == .changed else {
            throw Failure(.notFound, "\(what) was deleted in the meantime.", "Nothing was changed.")
        }
    }

    /// `false` in a dry run, which says what would have been done.
    func mayWrite(_ summary: String) -> Bool {
        if isDryRun { console.done("Would have \(summary). Nothing written (dry run).") }
        return !isDryRun
    }

    /// Whether a changed item is to be written; says so where it is not.
    ///
    /// - Parameter realm: ` of NAME`, where the item belongs to a realm.
    func mayWrite<Item: Equatable>(
        _ item: Item,
        replacing former: Item,
        _ subject: String,
        of realm: String = ""
    ) -> Bool {
        guard item != former else {
            console.say("Nothing to change: \(subject) is already like that.")
            return false
        }
        return mayWrite("changed \(subject)\(realm)")
    }
}

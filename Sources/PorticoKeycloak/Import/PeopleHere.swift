import PorticoStores

/// What is here of the people of one chunk of a file, and who here has what they would get.
struct PeopleHere: Sendable {
    /// Everything that is kept of those who are here, and of who has their user names.
    let kept: [String: KeptPerson]
    let owners: (usernames: [String: String], emails: [String: String])
    let dids: [String: String]
    /// Who here is the account of a client.
    private let accounts: [String: String]
    private let used: Set<String>
    private let known: [String: String]
    /// Of ids that are made of user names, those whose people the file has under their own ids, and
    /// under other names: who has such a name there is someone else.
    private let others: Set<String>

    /// - Parameter file: All people of the file.
    init(
        _ people: [Person],
        of file: PeopleReader,
        _ realms: RealmStore,
        _ store: PersonStore,
        realmID: String
    ) async throws {
        // First: where someone gives up a user name, it is noted in the same transaction.
        let owners = try await store.owners(
            usernames: people.map(\.username),
            emails: people.compactMap(\.email),
            realmID: realmID
        )
        let shared = try await store.owners(
            dids: people.compactMap(\.did),
            serviceClients: people.compactMap(\.serviceClientID),
            realmID: realmID
        )
        let ids = people.map(\.id)
        // Those that they would have if the file said none.
        let made = people.map { Person.madeID(of: $0.username, in: realmID) }
        used = try await realms.idsInUse(ofPeople: ids + made)
        known = try await store.ids(knownAs: made, realmID: realmID)
        kept = try await store.kept(
            Array(Set(ids).union(owners.usernames.values)),
            realmID: realmID
        )
        self.owners = owners
        dids = shared.dids
        accounts = shared.serviceClients
        var others: Set<String> = []
        for (person, made) in zip(people, made) where kept[person.id] == nil {
            let owners = [known[made], used.contains(made) ? made : nil].compactMap(\.self)
            let username = person.username
            let areOthers = try owners.allSatisfy { try file.contains($0, besides: username) }
            if areOthers { others.insert(made) }
        }
        self.others = others
    }

    /// Why someone of the file is left out; `nil`: they are not.
    ///
    /// - Parameter isNoted: Whether an import has noted all that it wrote (``ExistingRealm/isNoted``).
    func refusal(of person: Person, isNoted: Bool) -> StaticString? {
        if let former = kept[person.id] {
            if isNoted, former.imported == nil { return "was made here: stays as it is here" }
            // What the file gives them is for the account of another client, or of none.
            return person.serviceClientID == former.person.serviceClientID
                ? nil : "is not the account of the same client here: stays as it is here"
        }
        if used.contains(person.id) { return "was deleted here, or is someone in another realm" }
        if let client = person.serviceClientID, accounts[client] != nil {
            return "someone else here is the account of the client"
        }
        let made = Person.madeID(of: person.username, in: person.realmID)
        let isKnown = used.contains(made) || known[made] != nil
        return isKnown && !others.contains(made)
            ? "someone else has the user name here, or had it" : nil
    }

    /// Why someone does not get a user name that someone else has here.
    func refusal(of username: String) -> StaticString {
        let owner = owners.usernames[username].flatMap { kept[$0] }
        return owner.map { $0.imported == nil } == true
            ? "someone else here has the user name: made here, stays as it is"
            : "someone else here has the user name"
    }
}

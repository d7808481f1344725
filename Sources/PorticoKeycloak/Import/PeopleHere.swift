import PorticoBytes
import PorticoStores

/// What is here of the people of one chunk of a file, and who here has what they would get.
struct PeopleHere: Sendable {
    /// Everything that is kept of those who are here, by id.
    let kept: [String: NewPerson]
    private let known: KnownPeople
    private let owners: (usernames: [String: String], emails: [String: String])
    /// Who has a DID, and who is the account of a client.
    private let shared: (dids: [String: String], serviceClients: [String: String])
    private let identities: [[ExactText]: String]

    init(
        _ people: [NewPerson],
        _ realms: RealmStore,
        _ store: PersonStore,
        realmID: String
    ) async throws {
        let persons = people.map(\.person)
        owners = try await store.owners(
            usernames: persons.map(\.username),
            emails: persons.compactMap(\.email),
            realmID: realmID
        )
        shared = try await store.owners(
            dids: persons.compactMap(\.did),
            serviceClients: persons.compactMap(\.serviceClientID),
            realmID: realmID
        )
        let accounts = people.flatMap(\.identities)
        let holders = try await store.owners(ofIdentities: accounts, realmID: realmID)
        var identities: [[ExactText]: String] = [:]
        for (account, holder) in zip(accounts, holders) { identities[account.key] = holder }
        self.identities = identities
        known = try await KnownPeople(persons.map(\.id), realms)
        let ids = persons.map { [known] in known.id(of: $0.id) }
        kept = try await store.kept(
            Array(Set(ids).union(shared.serviceClients.values)),
            realmID: realmID
        )
    }

    /// The id here of a person of the file. The account of a client stays the same person.
    func id(of person: Person) -> String {
        person.serviceClientID.flatMap { shared.serviceClients[$0] } ?? known.id(of: person.id)
    }

    /// Whether the id is a person's in another realm, or was one's.
    func isGone(_ id: String) -> Bool { kept[id] == nil && known.isUsed(id) }

    /// What of a person of the file another person here has, with that person's id.
    func taken(_ new: NewPerson) -> (what: StaticString, owner: String)? {
        let person = new.person
        func others(_ owner: String?) -> String? { owner == person.id ? nil : owner }
        if let owner = others(owners.usernames[person.username]) {
            return ("another person here has the username: left out", owner)
        }
        if let owner = others(person.email.flatMap { owners.emails[$0] }) {
            return ("another person here has the email address: left out", owner)
        }
        if let owner = others(person.did.flatMap { shared.dids[$0] }) {
            return ("another person here has the DID: left out", owner)
        }
        if let owner = new.identities.lazy.compactMap({ others(identities[$0.key]) }).first {
            return ("another person here has the account at a provider: left out", owner)
        }
        return nil
    }
}

extension FederatedIdentity {
    fileprivate var key: [ExactText] { [ExactText(provider), ExactText(subject)] }
}

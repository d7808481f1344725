import PorticoAdministration
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
        if person.holdsEmail, let owner = others(person.email.flatMap { owners.emails[$0] }) {
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

extension NewPerson.Identity {
    fileprivate var key: [ExactText] { [ExactText(provider), ExactText(subject)] }
}

/// Which person of a file is which person here: a UUID may be spelled otherwise. No one is known by
/// a user name, which anyone may have taken (docs/decisions/0054).
struct KnownPeople {
    /// Those of the ids that are a person's in any realm, or were.
    private let used: Set<String>

    /// - Parameter ids: Of people of a file (``id(_:username:realmID:)``).
    init(_ ids: [String], _ realms: RealmStore) async throws {
        used = try await realms.idsInUse(ofPeople: ids + ids.map(ImportedIDs.key))
    }

    func isUsed(_ id: String) -> Bool { used.contains(id) }

    /// The id here of the person who has that one in the file. One who is not here keeps it.
    func id(of id: String) -> String {
        let key = ImportedIDs.key(id)
        return used.contains(id) || !used.contains(key) ? id : key
    }

    /// The id of a person of a file: its own, or where it says none that may be one, that which is made
    /// of the user name.
    static func id(_ said: String?, username: String, realmID: String) -> String {
        if let said, PersonRegistration.isSubject(said) { return said }
        return Person.madeID(of: username, in: realmID)
    }
}

extension Person {
    /// The id of a person who has none in a file: the same each time, so that they are known by it.
    static func madeID(of username: String, in realmID: String) -> String {
        let name = LoginName.folded(username)
        var bytes = Array(Hash256(of: "\(realmID) person \(name)").bytes.prefix(16))
        // An id made in a way of our own (RFC 9562 §5.8).
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UniqueID(bytes: bytes)?.text ?? Hexadecimal.text(bytes)
    }
}

/// The ids of a file, as far as they can be kept: tokens, scripts and exports name them.
struct ImportedIDs {
    private var taken = SeenTexts()

    /// The same for ids that differ in the spelling of a UUID only.
    static func key(_ id: String) -> String { UniqueID(id)?.text ?? id }

    /// The file's id, if it is a UUID that was not given yet; else a new one.
    mutating func take(_ id: String?, random: RandomSource) -> String {
        if let id, let unique = UniqueID(id), taken.insert(unique.text) { return unique.text }
        let made = UniqueID(random: random).text
        _ = taken.insert(made)
        return made
    }
}

/// Which of any number of texts were there before, in 16 bytes each: a file may have a million.
struct SeenTexts {
    private struct Digest: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private var digests: Set<Digest> = []

    /// Whether it is the first of its kind.
    mutating func insert(_ text: String) -> Bool { digests.insert(Self.digest(text)).inserted }

    func contains(_ text: String) -> Bool { digests.contains(Self.digest(text)) }

    private static func digest(_ text: String) -> Digest {
        let bytes = Hash256(of: text).bytes
        func word(_ range: Range<Int>) -> UInt64 {
            bytes[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return Digest(high: word(0..<8), low: word(8..<16))
    }
}

import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
package import PorticoSeals
package import PorticoStores

/// What is different in a realm and in a file.
///
/// People and things are matched as an import matches them (``KnownPeople``, ``PartNames``).
///
/// A file need not say everything: what it leaves out at its top is not compared. A key that
/// was made here, and is not in the file, stays.
package struct RealmDiff: Sendable {
    private let realms: RealmStore
    private let people: PersonStore
    private let ring: KeyRing

    package init(realms: RealmStore, people: PersonStore, ring: KeyRing) {
        self.realms = realms
        self.people = people
        self.ring = ring
    }

    package struct Report: Hashable, Sendable {
        /// At most ``most`` of each section.
        package let differences: [RealmDifference]
        /// How many there are of each section.
        package let counts: [String: Int]
    }

    /// How many of a section are named.
    package static var most: Int { RealmComparison.most }

    /// - Parameters:
    ///   - place: Where it stands in the file (``RealmSource/compared(_:)``), be it under another name.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` where the realm is not there any more.
    /// - Throws: what reading the file and the stores throw, and where the key ring does not fit.
    package func callAsFunction(
        _ realm: Realm,
        _ place: RealmPlace,
        at now: Int64
    ) async throws -> Report? {
        let file = try place.said().object
        guard let whole = try await realms.whole(id: realm.id) else { return nil }
        let secrets = RealmSecrets(ring: ring, areShown: true)
        let parts = PartNames(whole.parts)
        let document = try RealmDocument(whole, secrets: secrets, at: now).json
        let here = CanonicalRealm(parts.withKeptIDs(document)).json
        var comparison = RealmComparison()
        let said = ImportedPart(file, of: realm, here: document).json
        for (name, value) in CanonicalRealm(parts.withKeptIDs(said)).json {
            comparison.compare(here[name], value, at: JSONPath([.name(name)]))
        }
        if !place.people.isEmpty {
            // A file of people alone has a part of them.
            let isWhole = file["clients"] != nil || file["roles"] != nil
            try await compare(whole, place, isWhole: isWhole, &comparison)
        }
        return Report(differences: comparison.differences, counts: comparison.counts)
    }

    private func compare(
        _ whole: NewRealm,
        _ place: RealmPlace,
        isWhole: Bool,
        _ comparison: inout RealmComparison
    ) async throws {
        let names = UserRepresentation.Names(groups: whole.groups, clients: whole.clients)
        let seal = CredentialSeal(ring: ring)
        let realmID = whole.realm.id
        // The ids of people of the file.
        var seen: Set<String> = []
        var reader = PeopleReader(place.people)
        while let person = try reader.next()?.object {
            guard let said = CanonicalPerson(person) else {
                comparison.add(RealmDifference(Self.path(""), here: nil, there: [:]))
                continue
            }
            let given = KnownPeople.id(
                person.string("id"),
                username: said.username,
                realmID: realmID
            )
            var id = try await KnownPeople([given], realms).id(of: given)
            // The account of a client stays the same person.
            if let clientID = person.string("serviceAccountClientId"),
                let client = whole.clients.first(where: { sameBytes($0.clientID, clientID) }),
                let account = try await people.serviceAccount(of: client.id, realmID: realmID)
            {
                id = account.person.id
            }
            guard seen.insert(id).inserted else { continue }
            let new = try await people.whole(realmID: realmID, id: id)
            let kept = try new.flatMap { CanonicalPerson(try $0.exported(names, seal)) }
            comparison.compare(
                kept.map { .object($0.json) },
                .object(said.json),
                at: Self.path(said.username)
            )
        }
        if isWhole {
            // Those of clients are made where a file has none.
            try await people.eachPage(of: realmID) { page in
                for person in page.map(\.person)
                where !seen.contains(person.id) && person.serviceClientID == nil {
                    let path = Self.path(person.username)
                    comparison.add(RealmDifference(path, here: [:], there: nil))
                }
            }
        }
    }

    private static func path(_ username: String) -> JSONPath {
        JSONPath([.name("users"), .name(username)])
    }
}

import PorticoAdministration
import PorticoBytes
import PorticoProtocol
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
    ///   - name: What the realm is called in the file; `nil`: as here.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` where the realm is not there any more.
    /// - Throws: what reading the file and the stores throw, and where the key ring does not fit.
    package func callAsFunction(
        _ realm: Realm,
        _ reader: RealmFileReader,
        named name: String? = nil,
        at now: Int64
    ) async throws -> Report? {
        let file = try reader.realm(named: name ?? realm.name)
        guard let whole = try await realms.whole(id: realm.id) else { return nil }
        let secrets = RealmSecrets(ring: ring, areShown: true)
        let parts = PartNames(whole.parts)
        let document = try RealmDocument(whole, secrets: secrets, at: now).json
        let here = CanonicalRealm(parts.withKeptIDs(document)).json
        var comparison = RealmComparison()
        let said = ImportedPart(file.json, of: realm, here: document).json
        for (name, value) in CanonicalRealm(parts.withKeptIDs(said)).json {
            comparison.compare(here[name], value, at: JSONPath([.name(name)]))
        }
        if file.hasPeople {
            try await compare(whole, file, reader, &comparison)
        }
        return Report(differences: comparison.differences, counts: comparison.counts)
    }

    private static let page = 200

    private func compare(
        _ whole: NewRealm,
        _ file: RealmFileReader.Realm,
        _ reader: RealmFileReader,
        _ comparison: inout RealmComparison
    ) async throws {
        let names = UserRepresentation.Names(groups: whole.groups, clients: whole.clients)
        let seal = CredentialSeal(ring: ring)
        let realmID = whole.realm.id
        // The ids of people of the file.
        var seen: Set<String> = []
        var found = comparison
        try await reader.people(of: file) { person in
            guard let said = CanonicalPerson(person) else {
                found.add(RealmDifference(Self.path(""), here: nil, there: [:]))
                return
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
            guard seen.insert(id).inserted else { return }
            let new = try await people.whole(realmID: realmID, id: id)
            let kept = try new.flatMap { CanonicalPerson(try $0.exported(names, seal)) }
            found.compare(
                kept.map { .object($0.json) },
                .object(said.json),
                at: Self.path(said.username)
            )
        }
        // A file of people alone has a part of them.
        if file.json["clients"] != nil || file.json["roles"] != nil {
            var cursor: String?
            while true {
                let page = try await people.whole(
                    realmID: realmID,
                    after: cursor,
                    limit: Self.page
                )
                // Those of clients are made where a file has none.
                for person in page.map(\.person)
                where !seen.contains(person.id) && person.serviceClientID == nil {
                    found.add(RealmDifference(Self.path(person.username), here: [:], there: nil))
                }
                guard page.count == Self.page, let last = page.last else { break }
                cursor = last.person.username
            }
        }
        comparison = found
    }

    private static func path(_ username: String) -> JSONPath {
        JSONPath([.name("users"), .name(username)])
    }
}

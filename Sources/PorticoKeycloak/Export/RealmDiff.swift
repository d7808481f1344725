import PorticoAdministration
package import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// What is different in a realm and in a file: what an import that writes the file over the realm, its people
/// and with `--prune`, would change.
///
/// A file need not say everything: what it leaves out at its top is not compared. Keys are not, because such
/// an import takes none.
package struct RealmDiff: Sendable {
    private let importer: RealmImporter
    private var people: PersonStore { importer.personStore }

    package init(_ realmImport: RealmImport, realms: RealmStore, people: PersonStore) {
        importer = RealmImporter(
            realmImport,
            store: realms,
            people: people,
            isDryRun: true,
            conflict: .overwrite(people: true, prune: true)
        )
    }

    package struct Report: Hashable, Sendable {
        /// At most ``most`` of each section.
        package let differences: [RealmDifference]
        /// How many there are of each section.
        package let counts: [String: Int]
    }

    /// How many of a section are named.
    package static var most: Int { RealmComparison.most }

    /// - Parameter place: Where it stands in the file (``RealmSource/compared(_:)``), be it under another
    ///   name.
    /// - Returns: `nil` where the realm is not there any more.
    /// - Throws: what reading the file and the stores throw, and where the key ring does not fit.
    package func callAsFunction(
        _ realm: Realm,
        _ place: RealmPlace,
        at moment: Moment
    ) async throws -> Report? {
        guard let existing = try await importer.existing(realm.name) else { return nil }
        var report = ImportReport(realm: realm.name)
        let written = try importer.changes(
            by: place.called(realm.name),
            to: existing,
            at: moment,
            report: &report
        )
        let whole = existing.whole
        let secrets = RealmSecrets(ring: importer.realmImport.ring, areShown: true)
        func document(_ whole: NewRealm) throws -> JSONObject {
            Canonical.realm(try RealmDocument(whole, secrets: secrets, at: moment.seconds).json)
        }
        let after = whole.with(written.changes)
        let (here, there) = (try document(whole), try document(after))
        let file = written.file.object
        var comparison = RealmComparison()
        for (name, _) in file where !["id", "users"].contains(name) {
            comparison.compare(here[name], there[name], at: JSONPath([.name(name)]))
        }
        let former = whole.scopes.keyed(by: \.id)
        for scope in after.scopes {
            guard let before = former[scope.id]?.isLimited else { continue }
            // Not a member of Keycloak's: where it stands follows from roles, and these may be gone.
            let path = JSONPath(["clientScopes", scope.name, "limited"].map(JSONPath.Step.name))
            comparison.compare(.bool(before), .bool(scope.isLimited), at: path)
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
        let seal = CredentialSeal(ring: importer.realmImport.ring)
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
            var id = try await KnownPeople([given], importer.store).id(of: given)
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

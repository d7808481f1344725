package import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoSeals
import PorticoStores

/// Reads a realm in Keycloak's export format (Keycloak `RealmRepresentation`) and makes a new realm,
/// ready for the store.
///
/// What has no counterpart in Portico is left out and reported; a file with members of other types
/// than Keycloak's is refused as a whole.
package struct RealmImport: Sendable {
    let creation: RealmCreation
    let clients: ClientRegistration
    let people: PersonRegistration
    let ring: KeyRing
    /// Issuers are made from it; addresses in the file are ignored.
    let baseURL: String

    package init(
        creation: RealmCreation,
        clients: ClientRegistration,
        people: PersonRegistration,
        ring: KeyRing,
        baseURL: String
    ) {
        self.creation = creation
        self.clients = clients
        self.people = people
        self.ring = ring
        self.baseURL = baseURL
    }

    /// Of a realm without its people: 64 MiB, which is about twenty thousand clients.
    /// What is kept of the file stands deeper in the store than here, and must be readable there.
    static let limits = JSONLimits(size: 64 << 20, depth: 48).keepingDigits
    /// Of each person: what is kept of one is read with many others.
    static let personLimits = JSONLimits(size: longestDocument, depth: 48).keepingDigits
    /// The longest document that is kept, in bytes; every process reads all of them.
    static let longestDocument = 4 << 20

    struct Imported {
        /// Without people.
        var realm: NewRealm
        var people: PersonImport
    }

    private static func expectKeepable(_ new: NewRealm, _ path: String) throws(RealmImportError) {
        let documents = new.parts.map(\.document) + new.keys.compactMap(\.component)
        for document in documents where document.serialized().count > longestDocument {
            throw .tooLarge(path: path)
        }
        var kept = [(new.realm.kept, new.realm.mappers)]
        kept += new.clients.map { ($0.kept, $0.mappers) } + new.scopes.map { ($0.kept, $0.mappers) }
        for (own, mappers) in kept {
            let all = [own] + mappers.map(\.kept)
            guard all.reduce(0, { $0 + ($1?.json.utf8.count ?? 0) }) <= longestDocument else {
                throw .tooLarge(path: path)
            }
        }
        for scope in new.scopes where scope.description?.utf8.count ?? 0 > longestDocument {
            throw .tooLarge(path: path)
        }
        let attributes = new.roles.map(\.attributes) + new.groups.map(\.group.attributes)
        for values in attributes {
            let bytes = values.reduce(0) { sum, named in
                named.value.reduce(sum + named.key.utf8.count) { $0 + $1.utf8.count }
            }
            guard bytes <= longestDocument else { throw .tooLarge(path: path) }
        }
        // A seal is a third longer than what is in it.
        for part in new.parts where part.sealed?.utf8.count ?? 0 > RealmPartSeal.longest {
            throw .tooLarge(path: path)
        }
    }

    /// The groups that new people are in. A path names a group of the file, or one that is one of them
    /// here already.
    private static func defaultGroups(
        _ realm: Representation,
        _ groups: ImportedGroups,
        _ existing: ExistingRealm?,
        report: inout ImportReport
    ) throws(RealmImportError) -> [String] {
        let here = existing?.realm.defaultGroupIDs ?? []
        guard let paths = try realm.strings("defaultGroups") else { return here }
        let graph = RoleGraph(parts: [], groups: existing.map { Array($0.groups.values) } ?? [])
        return paths.compactMap { path in
            let known = graph.group(atPath: path)?.id
            let id = groups.id(path) ?? known.flatMap { here.contains($0) ? $0 : nil }
            if id == nil {
                report.add(
                    .changed,
                    "realm",
                    "defaultGroups \(path)",
                    "left out: it names no group of the file, or several"
                )
            }
            return id
        }
    }

    /// - Throws: ``RealmImportError``, or what making a key throws.
    ///
    /// - Parameters:
    ///   - existing: A realm that is here, whose ids, keys and issuer stay.
    ///   - filled: With the settings that the file does not have as they are here.
    func callAsFunction(
        _ representation: Representation,
        over existing: ExistingRealm? = nil,
        filled: Representation? = nil,
        at moment: Moment,
        report: inout ImportReport
    ) throws -> Imported {
        guard let name = try representation.text("realm") else {
            throw RealmImportError.missing(path: representation.path(of: "realm"))
        }
        let settings = try RealmSettings(filled ?? representation, report: &report)
        let algorithms = try ClientRepresentation.algorithms(of: representation)
        let keyImport = KeyImport(ring: ring, moment: moment, existing: existing)
        var keys = KeyImport.Keys()
        var new: NewRealm
        do {
            new = try creation(
                id: existing?.realm.id,
                name: name,
                displayName: settings.displayName,
                baseURL: baseURL,
                algorithms: algorithms.union([settings.signingAlgorithm]),
                importing: { realmID in
                    keys = try keyImport(representation, realmID: realmID, report: &report)
                    // What signs here was chosen here, or is made now.
                    return existing?.keys ?? keys.signing
                },
                at: moment
            )
        } catch let refusal as RealmCreation.Refusal {
            throw RealmImportError.realm(path: representation.path(of: "realm"), refusal)
        }
        new.keptKeys = keys.kept
        if let existing {
            // What no file has a word for stays.
            let displayName = new.realm.displayName
            new.realm = existing.realm
            new.realm.displayName = displayName
        } else {
            new.realm.signsOutByHintAlone = true
            new.realm.errorStyle = .phrase
        }
        settings.apply(to: &new.realm)
        var kept = RealmSettings.kept(representation)
        if let here = existing?.realm {
            for (name, value) in here.kept.object where representation.object[name] == nil {
                kept[name] = value
            }
            new.realm.notBefore = max(new.realm.notBefore, here.notBefore)
        }
        new.realm.kept = KeptRepresentation(kept)
        let scopes = ScopeImport(realm: new.realm, moment: moment, existing: existing)
        var (clientIDs, scopeIDs) = (ImportedIDs(), ImportedIDs())
        new.scopes = try scopes(representation, ids: &scopeIDs, report: &report)
        try new.realm.takeClientScopes(
            of: representation,
            among: new.scopes,
            over: existing,
            report: &report
        )
        let refused: Set<String>
        (new.clients, refused) = try ClientImport(
            registration: clients,
            realm: new.realm,
            scopes: new.scopes,
            algorithms: SigningKeyRecord.activeAlgorithms(of: new.keys, at: moment.seconds),
            moment: moment,
            existing: existing
        )(representation, ids: &clientIDs, report: &report)
        for index in new.clients.indices {
            let here = existing?.clients[ExactText(new.clients[index].clientID)]
            new.clients[index].isMoved = here?.isMoved ?? true
        }
        let roles = try RoleImport(
            realm: new.realm,
            clients: new.clients,
            moment: moment,
            existing: existing
        )(representation, report: &report)
        new.roles = roles.roles
        new.roleParts = roles.parts
        new.roleLimits = try scopes.limits(
            representation,
            clients: new.clients.filter { !refused.contains($0.id) },
            scopes: &new.scopes,
            roles: roles,
            report: &report
        )
        for owner in refused.map(RoleLimit.Owner.client) {
            new.roleLimits += (existing?.limits[owner] ?? []).map {
                RoleLimit(owner: owner, role: $0)
            }
        }
        let groups = try GroupImport(
            realm: new.realm,
            roles: roles,
            moment: moment,
            existing: existing
        )(representation, report: &report)
        new.groups = groups.groups
        try new.realm.takeDefaultRoles(
            of: representation,
            new.clients,
            roles,
            over: existing,
            report: &report
        )
        new.realm.defaultGroupIDs = try Self.defaultGroups(
            representation,
            groups,
            existing,
            report: &report
        )
        new.parts = try PartImport(
            realm: new.realm,
            ring: ring,
            moment: moment,
            existing: existing
        )(representation, report: &report)
        for part in new.parts where part.kind == IdentityProviderRepresentation.kind {
            guard case .file(let obstacle?) = FileProvider.record(part, ring: ring).source else {
                continue
            }
            report.add(
                .changed,
                "identity provider \(part.id)",
                "no one signs in with it: \(obstacle)"
            )
        }
        let administering = AdministeringPeople(
            new.realm,
            roles: roles.names,
            parts: new.roleParts,
            groups: new.groups,
            clients: new.clients
        )
        // Of a realm that is here it is known later, from what is merged.
        if existing == nil { administering.add(to: &report) }
        let people = PersonImport(
            registration: people,
            realm: new.realm,
            roles: roles,
            groups: groups,
            administering: administering,
            clients: new.clients.keyed { ExactText($0.clientID) }.mapValues(\.id),
            seal: CredentialSeal(ring: ring),
            moment: moment,
            isOverRealm: existing != nil
        )
        try Self.expectKeepable(new, representation.path)
        try RealmSettings.reportTheRest(of: representation, report: &report)
        return Imported(realm: new, people: people)
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// A realm that is here already, which a file is written over.
struct ExistingRealm: Sendable {
    let realm: Realm
    let keys: [SigningKeyRecord]
    /// By `kid`.
    let keptKeys: [String: KeptKey.Kind]
    let clients: [ExactText: Client]
    let scopes: [ExactText: ClientScope]
    let roles: [RoleName: Role]
    let contents: [RoleName: Set<RoleName>]
    /// The ids of roles, and of those that an import makes: people get these, and no others of their
    /// names.
    var roleIDs: [RoleName: String]
    /// By ``ImportNotes/Name``, as parts and notes.
    let groups: [String: GroupWithRoles]
    let limits: [RoleLimit.Owner: Set<RoleName>]
    let parts: [String: RealmPart]
    /// What the import before noted of them.
    let notes: [String: RealmPart]
    /// The secrets of clients as the file of before had them.
    let secrets: [ExactText: SecretText]
    /// When keys are retired here, by the names of their notes: of one that a file disabled, its note
    /// knows it.
    let retirements: [String: Int64]
    /// The ids of all of them.
    let ids: Set<String>
    let state: RealmState

    /// Whether it is known what the file before said: then what was changed here stays.
    var isNoted: Bool { notes[ImportNotes.Name.realm] != nil }

    /// Whether an import that wrote over it was ended before it had noted all.
    var isBegun: Bool { notes[ImportNotes.Name.start] != nil }

    /// What the file before said of the realm itself: of one that came without notes, the file that was
    /// begun to be written over it.
    var saidOfRealm: ImportedFields? {
        fields(ImportNotes.Name.realm) ?? fields(ImportNotes.Name.start)
    }

    /// Whether it is known what the file before said of a thing, or that it said nothing.
    func isNoted(_ note: String) -> Bool { isNoted || notes[note] != nil }

    /// What the import before noted of a thing.
    func fields(_ note: String) -> ImportedFields? {
        notes[note].flatMap { ImportedFields(document: $0.document) }
    }

    /// Whether a thing came with no file, though it has the name of one that did.
    ///
    /// - Parameter path: Where its note has its id.
    func isMadeHere(_ note: String, id: JSONValue?, at path: FieldPath = FieldPath("id")) -> Bool {
        isNoted(note) && fields(note)?.says(id, at: path) != true
    }

    /// Whether a key was here at an import, and is not any more.
    func isGone(key keyID: String) -> Bool {
        notes[ImportNotes.Name.key(keyID)] != nil && keptKeys[keyID] == nil
            && !keys.contains { sameBytes($0.keyID, keyID) }
    }

    /// - Parameter snapshot: Of the same time.
    /// - Throws: ``ChangedMeanwhile`` where realms were changed before all of it was read.
    init(
        _ realm: Realm,
        _ snapshot: RealmSnapshotRecord,
        _ store: RealmStore,
        ring: KeyRing
    ) async throws {
        self.realm = realm
        keys = snapshot.keys.filter { $0.realmID == realm.id }
        keptKeys = Dictionary(
            snapshot.keptKeys.filter { $0.realmID == realm.id }.map { ($0.keyID, $0.kind) }
        ) { $1 }
        let clients = snapshot.clients.filter { $0.realmID == realm.id }
        let scopes = snapshot.scopes.filter { $0.realmID == realm.id }
        let roles = try await store.roles(realmID: realm.id)
        let groups = try await store.groups(realmID: realm.id)
        self.clients = Dictionary(clients.map { (ExactText($0.clientID), $0) }) { $1 }
        self.scopes = Dictionary(scopes.map { (ExactText($0.name), $0) }) { $1 }
        self.roles = Dictionary(roles.map { ($0.roleName, $0) }) { $1 }
        roleIDs = self.roles.mapValues { $0.id }
        contents = Dictionary(
            grouping: try await store.roleParts(realmID: realm.id),
            by: \.role
        ).mapValues { Set($0.map(\.part)) }
        self.groups = Dictionary(
            groups.map { (ImportNotes.Name.group($0.group.name, in: $0.group.parentID), $0) }
        ) { $1 }
        limits = snapshot.roleLimits
        parts = Dictionary(
            try await store.parts(nil, realmID: realm.id).map { (ImportNotes.Name.part($0), $0) }
        ) { $1 }
        let notes = try await store.parts(RealmPart.imported, realmID: realm.id)
        self.notes = Dictionary(notes.map { ($0.id, $0) }) { $1 }
        var retirements = self.notes.compactMapValues {
            $0.document.int64(ImportNotes.retiredFrom)
        }
        for key in keys { retirements[ImportNotes.Name.key(key.keyID)] = key.retiredFrom }
        self.retirements = retirements
        var secrets: [ExactText: SecretText] = [:]
        for client in clients {
            guard let note = self.notes[ImportNotes.Name.client(client.clientID)] else { continue }
            secrets[ExactText(client.clientID)] = try ImportNotes.secret(of: note, ring: ring)
        }
        self.secrets = secrets
        state = try await store.state(of: realm.id)
        guard state.version == snapshot.version else { throw ChangedMeanwhile() }
        ids = Set(
            clients.map(\.id) + scopes.map(\.id) + roles.map(\.id) + groups.map(\.group.id)
        )
    }
}

extension ImportedIDs {
    /// The id of the thing of that name that is here; else the file's, unless it is that of a thing of
    /// another name.
    mutating func take(
        _ id: String?,
        here: String?,
        _ existing: ExistingRealm?,
        random: RandomSource
    ) -> String {
        let said = id.flatMap { $0.isEmpty ? nil : Self.key($0) }
        let isFree = said.map { existing?.ids.contains($0) != true } == true
        let given = take(here ?? (isFree ? said : nil), random: random)
        if let said, said != given { replaced[given] = said }
        return given
    }
}

extension Client {
    /// What only this server has, and no file says.
    ///
    /// - Parameter withProof: A new one would be disabled, because its protection would be gone. This
    ///   one may have been given another by now.
    mutating func keep(_ here: Client, withProof: Bool) {
        if withProof {
            isEnabled = true
            authentication = here.authentication
            keySet = here.keySet
            secret = here.secret
        }
        kept[AdminRights.lending] = here.kept[AdminRights.lending]
        administers = here.administers && !requiresConsent
        authenticatesStrictly = here.authenticatesStrictly
        takesTokenEndpointAudience = here.takesTokenEndpointAudience
        isDevelopment = here.isDevelopment
        loginTokenTargets = here.loginTokenTargets
        staySignedIn = here.staySignedIn
        roleClients = here.roleClients
        seesRealmRoles = here.seesRealmRoles
    }

    /// One of Keycloak's own, as it is here. A representation says what protects it, and nothing else of
    /// what acts.
    func own(saying said: Client) -> Client {
        var own = self
        own.takeRules(of: said)
        own.administers = administers && !own.requiresConsent
        return own
    }
}

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
    /// By the parent's id and the name.
    let groups: [[String]: GroupWithRoles]
    let limits: [RoleLimit.Owner: Set<RoleName>]
    /// By kind and id.
    let parts: [[String]: RealmPart]
    /// What the import before noted of them, by ``ImportNotes/Name``.
    let notes: [String: RealmPart]
    /// The secrets of clients as the file of before had them.
    let secrets: [ExactText: SecretText]
    /// The ids of all of them.
    let ids: Set<String>
    /// Of the snapshot.
    let version: Int64

    /// Whether it is known what the file before said: then what was changed here stays.
    var isNoted: Bool { notes[ImportNotes.Name.realm] != nil }

    /// What the import before noted of a thing.
    func fields(_ note: String) -> ImportedFields? {
        notes[note].flatMap { ImportedFields(document: $0.document) }
    }

    /// Whether a thing came with no file, though it has the name of one that did.
    func isMadeHere(_ note: String, id: String) -> Bool {
        isNoted && fields(note)?.says(.string(id), at: FieldPath("id")) != true
    }

    /// Whether a key was here at an import, and is not any more.
    func isGone(key keyID: String) -> Bool {
        notes[ImportNotes.Name.key(keyID)] != nil && keptKeys[keyID] == nil
            && !keys.contains { sameBytes($0.keyID, keyID) }
    }

    /// - Parameter snapshot: Of the same time.
    init(
        _ realm: Realm,
        _ snapshot: RealmSnapshotRecord,
        _ store: RealmStore,
        ring: KeyRing
    ) async throws {
        self.realm = realm
        version = snapshot.version
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
        contents = Dictionary(
            grouping: try await store.roleParts(realmID: realm.id),
            by: \.role
        ).mapValues { Set($0.map(\.part)) }
        self.groups = Dictionary(
            groups.map { ([$0.group.parentID ?? "", $0.group.name], $0) }
        ) { $1 }
        limits = snapshot.roleLimits
        parts = Dictionary(
            try await store.parts(nil, realmID: realm.id).map { ([$0.kind, $0.id], $0) }
        ) { $1 }
        let notes = try await store.parts(RealmPart.imported, realmID: realm.id)
        self.notes = Dictionary(notes.map { ($0.id, $0) }) { $1 }
        var secrets: [ExactText: SecretText] = [:]
        for client in clients {
            guard let note = self.notes[ImportNotes.Name.client(client.clientID)] else { continue }
            secrets[ExactText(client.clientID)] = try ImportNotes.secret(of: note, ring: ring)
        }
        self.secrets = secrets
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
        if let here { return take(here, random: random) }
        let isFree = id.flatMap { UniqueID($0)?.text }.map { existing?.ids.contains($0) != true }
        return take(isFree == true ? id : nil, random: random)
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
        keycloak?[AdminRights.lending] = here.keycloak?[AdminRights.lending]
        authenticatesStrictly = here.authenticatesStrictly
        takesTokenEndpointAudience = here.takesTokenEndpointAudience
        isDevelopment = here.isDevelopment
        loginTokenTargets = here.loginTokenTargets
        mappers = here.mappers
    }
}

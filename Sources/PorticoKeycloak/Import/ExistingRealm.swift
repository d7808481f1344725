import PorticoBytes
import PorticoProtocol
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
    let groups: [GroupPlace: GroupWithRoles]
    let limits: [RoleLimit.Owner: Set<RoleName>]
    let parts: [PartPlace: RealmPart]
    /// What has an id here, by that.
    let names: [ThingID: ThingName]
    let state: RealmState
    /// Everything that is here and a file can name.
    let here: Set<ThingName>

    /// - Parameter whole: Of that state.
    init(_ whole: NewRealm, _ state: RealmState) {
        self.state = state
        realm = whole.realm
        keys = whole.keys
        keptKeys = Dictionary(whole.keptKeys.map { ($0.keyID, $0.kind) }) { $1 }
        clients = Dictionary(whole.clients.map { (ExactText($0.clientID), $0) }) { $1 }
        scopes = Dictionary(whole.scopes.map { (ExactText($0.name), $0) }) { $1 }
        roles = Dictionary(whole.roles.map { ($0.roleName, $0) }) { $1 }
        roleIDs = roles.mapValues { $0.id }
        contents = Dictionary(grouping: whole.roleParts, by: \.role)
            .mapValues { Set($0.map(\.part)) }
        groups = Dictionary(whole.groups.map { (GroupPlace($0.group), $0) }) { $1 }
        limits = Dictionary(grouping: whole.roleLimits, by: \.owner)
            .mapValues { Set($0.map(\.role)) }
        parts = Dictionary(whole.parts.map { (PartPlace($0), $0) }) { $1 }
        var names: [ThingID: ThingName] = [:]
        func know(_ id: String, _ name: ThingName) { names[ThingID(name.kind, id)] = name }
        for client in whole.clients { know(client.id, .client(client.clientID)) }
        for scope in whole.scopes { know(scope.id, .scope(scope.name)) }
        for role in whole.roles { know(role.id, .role(role.roleName)) }
        for group in whole.groups { know(group.group.id, .group(GroupPlace(group.group))) }
        for part in whole.parts where part.kind == IdentityProviderRepresentation.kind {
            guard let id = part.document.string("internalId"), !id.isEmpty else { continue }
            know(id, .provider(part.id))
        }
        self.names = names
        here = Set(names.values)
    }

    func hasKey(_ keyID: String) -> Bool {
        keptKeys[keyID] != nil || keys.contains { sameBytes($0.keyID, keyID) }
    }

    /// Of its clients, scopes, roles and groups.
    var thingIDs: Set<String> {
        Set(names.filter { $0.value.kind != .provider }.map(\.key.id))
    }

    /// Whether something of it has that id.
    func hasID(_ id: String) -> Bool {
        [ThingName.Kind.client, .scope, .role, .group].contains { names[ThingID($0, id)] != nil }
    }

    /// A file with the settings that it does not have as they are here: what it leaves out at its top
    /// stays.
    func filling(_ file: JSONObject) -> JSONObject {
        var file = file
        let document = RealmRepresentation(realm).json
        for (name, value) in document where file[name] == nil && RealmSettings.isKept(name) {
            file[name] = value
        }
        return file
    }
}

/// Where a group stands.
struct GroupPlace: Hashable {
    let parentID: String?
    let name: ExactText

    init(_ name: String, in parentID: String?) {
        self.name = ExactText(name)
        self.parentID = parentID
    }

    init(_ group: Group) { self.init(group.name, in: group.parentID) }
}

/// A part by its kind and id.
struct PartPlace: Hashable {
    let kind: String
    let id: ExactText

    init(_ part: RealmPart) { self.init(part.kind, part.id) }

    init(_ kind: String, _ id: String) {
        self.kind = kind
        self.id = ExactText(id)
    }
}

/// What a file calls something.
enum ThingName: Hashable {
    enum Kind: Hashable { case client, scope, role, group, provider }

    case client(ExactText)
    case scope(ExactText)
    case role(RoleName)
    case group(GroupPlace)
    /// An identity provider.
    case provider(ExactText)

    static func client(_ clientID: String) -> ThingName { .client(ExactText(clientID)) }
    static func scope(_ name: String) -> ThingName { .scope(ExactText(name)) }
    static func provider(_ alias: String) -> ThingName { .provider(ExactText(alias)) }

    /// For a report.
    var subject: String {
        switch self {
        case .client(let clientID): "client \(clientID.text)"
        case .scope(let name): "scope \(name.text)"
        case .role(let role): "role \(role.text)"
        case .group(let place): "group \(place.name.text)"
        case .provider(let alias): "\(IdentityProviderRepresentation.kind) \(alias.text)"
        }
    }

    var kind: Kind {
        switch self {
        case .client: .client
        case .scope: .scope
        case .role: .role
        case .group: .group
        case .provider: .provider
        }
    }
}

/// An id of one kind of things: a file may number each kind from one.
struct ThingID: Hashable {
    let kind: ThingName.Kind
    let id: String

    /// - Parameter id: A UUID of any spelling.
    init(_ kind: ThingName.Kind, _ id: String) {
        self.kind = kind
        self.id = ImportedIDs.key(id)
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
        let isFree = said.map { existing?.hasID($0) != true } == true
        return take(here ?? (isFree ? said : nil), random: random)
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
        lends = here.lends
        administers = here.administers && !requiresConsent
        // What was revoked stays revoked.
        notBefore = max(notBefore, here.notBefore)
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

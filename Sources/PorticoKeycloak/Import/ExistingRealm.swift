import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A realm that is here already, which a file is written over.
struct ExistingRealm: Sendable {
    let whole: NewRealm
    var realm: Realm { whole.realm }
    var keys: [SigningKeyRecord] { whole.keys }
    /// The `kid`s of keys that sign nothing.
    private let keptKeys: [String]
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
        (self.whole, self.state) = (whole, state)
        keptKeys = whole.keptKeys.map(\.keyID)
        clients = whole.clients.keyed { ExactText($0.clientID) }
        scopes = whole.scopes.keyed { ExactText($0.name) }
        roles = whole.roles.keyed(by: \.roleName)
        roleIDs = roles.mapValues { $0.id }
        contents = Dictionary(grouping: whole.roleParts, by: \.role)
            .mapValues { Set($0.map(\.part)) }
        groups = whole.groups.keyed { GroupPlace($0.group) }
        limits = Dictionary(grouping: whole.roleLimits, by: \.owner)
            .mapValues { Set($0.map(\.role)) }
        parts = whole.parts.keyed { PartPlace($0) }
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
        (keptKeys + keys.map(\.keyID)).contains { sameBytes($0, keyID) }
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

extension NewRealm {
    /// As it is once changes are written. It keeps its keys.
    func with(_ changes: RealmChanges) -> NewRealm {
        var new = self
        new.realm = changes.realm ?? realm
        new.clients.put(changes.clients, by: \.id)
        new.scopes.put(changes.scopes, by: \.id)
        new.roles.put(changes.roles, by: \.id)
        new.parts.put(changes.parts) { PartPlace($0) }
        var roles = Dictionary(groups.map { ($0.group.id, $0.roles) }) { first, _ in first }
        for (id, said) in changes.groupRoles { roles[id] = Array(said) }
        new.groups.put(changes.groups.map { GroupWithRoles(group: $0) }, by: \.group.id)
        let contained = Set(changes.contents.map(\.role))
        new.roleParts.removeAll { contained.contains($0.role) }
        for (role, parts) in changes.contents {
            new.roleParts += parts.map { RolePart(role: role, part: $0) }
        }
        let limited = Set(changes.limits.map(\.owner))
        new.roleLimits.removeAll { limited.contains($0.owner) }
        for (owner, roles) in changes.limits {
            new.roleLimits += roles.map { RoleLimit(owner: owner, role: $0) }
        }
        new.delete(changes.deletions)
        // What is gone is no part of anything.
        let names = Set(new.roles.map(\.roleName))
        new.roleParts.removeAll { !names.contains($0.role) || !names.contains($0.part) }
        new.roleLimits.removeAll { !names.contains($0.role) }
        for index in new.groups.indices {
            let said = roles[new.groups[index].group.id] ?? []
            new.groups[index].roles = said.filter(names.contains)
        }
        return new
    }

    private mutating func delete(_ deletions: [RealmDeletion]) {
        // Of two kinds, things may have one id.
        var ids: [ThingName.Kind: Set<String>] = [:]
        var places: Set<PartPlace> = []
        for deletion in deletions {
            switch deletion {
            case .client(let id): ids[.client, default: []].insert(id)
            case .scope(let id, _): ids[.scope, default: []].insert(id)
            case .role(let id): ids[.role, default: []].insert(id)
            case .group(let id): ids[.group, default: []].insert(id)
            case .part(let kind, let id): places.insert(PartPlace(kind, id))
            }
        }
        func isGone(_ kind: ThingName.Kind, _ id: String) -> Bool {
            ids[kind]?.contains(id) == true
        }
        let owners = Set(
            clients.filter { isGone(.client, $0.id) }.map { ExactText($0.clientID) }
        )
        clients.removeAll { isGone(.client, $0.id) }
        roles.removeAll { role in
            isGone(.role, role.id)
                || role.clientID.map { owners.contains(ExactText($0)) } ?? false
        }
        groups.removeAll { isGone(.group, $0.group.id) }
        parts.removeAll { places.contains(PartPlace($0)) }
        let names = Set(scopes.filter { isGone(.scope, $0.id) }.map { ExactText($0.name) })
        guard !names.isEmpty else { return }
        scopes.removeAll { isGone(.scope, $0.id) }
        func isHere(_ name: String) -> Bool { !names.contains(ExactText(name)) }
        realm.defaultClientScopes = realm.defaultClientScopes.filter(isHere)
        realm.optionalClientScopes = realm.optionalClientScopes.filter(isHere)
        for index in clients.indices {
            clients[index].defaultScopes = clients[index].defaultScopes.filter(isHere)
            clients[index].optionalScopes = clients[index].optionalScopes.filter(isHere)
        }
    }
}

extension Array {
    /// Takes others in place of those that have the same key, and behind the rest.
    fileprivate mutating func put<Key: Hashable>(_ others: [Element], by key: (Element) -> Key) {
        var rest = others.keyed(by: key)
        for index in indices {
            if let other = rest.removeValue(forKey: key(self[index])) { self[index] = other }
        }
        self += others.filter { rest[key($0)] != nil }
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
    /// Keeps what a file does not take away.
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
        administers = here.administers && !requiresConsent
        // What was revoked stays revoked.
        notBefore = max(notBefore, here.notBefore)
    }

    /// Keeps what the backend hands off by, where it is one of its apps: only those who run the server change
    /// that (docs/decisions/0164).
    ///
    /// - Returns: Whether a file says it otherwise.
    mutating func keepApp(_ here: Client) -> Bool {
        guard here.handOff.form != .none else { return false }
        let said = self
        isEnabled = here.isEnabled
        (type, authentication, keySet, secret) = (
            here.type, here.authentication, here.keySet, here.secret
        )
        grantTypes = here.grantTypes
        (redirectURIs, redirectRule) = (here.redirectURIs, here.redirectRule)
        return self != said
    }

    /// Keeps that its access tokens are as the realm's are, where a file says no other.
    mutating func keepAccessTokenType(of here: Client, in realm: Realm) {
        guard !here.isMoved, accessTokenType == here.accessTokenType ?? realm.accessTokenType else {
            return
        }
        accessTokenType = here.accessTokenType
    }

    /// What protects it here, and would not as a file has it.
    func losses(as next: Client) -> [StaticString] {
        let ranks: [CodeProtection] = [.none, .pkceOrNonce, .pkce]
        func rank(_ client: Client) -> Int { ranks.firstIndex(of: client.codeProtection) ?? 0 }
        let isProven = authentication != .none && next.authentication == .none
        let rules: [(isLost: Bool, words: StaticString)] = [
            (rank(self) > rank(next), "had to protect its codes by PKCE or a nonce here"),
            (requiresPushedRequests && !next.requiresPushedRequests, "had to push requests here"),
            (
                dpopBoundAccessTokens && !next.dpopBoundAccessTokens,
                "had tokens bound to a key here"
            ),
            (requiresConsent && !next.requiresConsent, "asked people for their consent here"),
            (isProven, "had to prove itself here"),
            (
                authentication == .privateKeyJWT && next.authentication != .privateKeyJWT
                    && !isProven, "had to prove itself by a key here"
            ),
            (!seesAllRoles && next.seesAllRoles, "was shown some roles of people only here"),
        ]
        return rules.filter(\.isLost).map(\.words)
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

extension Representation {
    /// A client of a file, with what the file does not say as it is here.
    func filled(by here: Client, in realm: Realm) throws(RealmImportError) -> Representation {
        let scopes = AssignedScopes(realm, scopes: [])
        let known = ClientRepresentation(here, in: realm, scopes: scopes, secret: nil).json
        var filled = object
        for (name, value) in known
        where filled[name] ?? .null == .null && !Self.unfilled.contains(name) {
            filled[name] = value
        }
        if let attributes = known.object("attributes"), var said = filled.object("attributes") {
            // An empty text says nothing there.
            for (name, value) in attributes
            where said[name] ?? .null == .null || said[name] == "" {
                said[name] = value
            }
            filled["attributes"] = .object(said)
        }
        return try Representation(.object(filled), path: path)
    }

    /// Lists that stay as they are, without a detour by a representation.
    private static let unfilled: Set<String> = ["defaultClientScopes", "optionalClientScopes"]
}

extension JSONObject {
    /// Without members, and members of attributes, that a file does not say.
    func said(by file: JSONObject) -> JSONObject {
        var said = self
        for (name, value) in self {
            if let kept = value.object, let members = file.object(name), name == "attributes" {
                var attributes = kept
                for (name, _) in kept where members[name] == nil { attributes[name] = nil }
                said[name] = .object(attributes)
            } else if file[name] == nil {
                said[name] = nil
            }
        }
        return said
    }
}

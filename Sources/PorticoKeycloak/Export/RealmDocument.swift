import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A whole realm but its people as Keycloak writes it (Keycloak `RealmRepresentation`).
struct RealmDocument: Sendable {
    let json: JSONObject

    /// - Parameter now: Seconds since 1970: keys that are retired by then are left out.
    /// - Throws: where the key ring does not fit.
    init(_ whole: NewRealm, secrets: RealmSecrets, at now: Int64) throws {
        let realm = RealmRepresentation(
            whole.realm,
            graph: RoleGraph(parts: [], groups: whole.groups)
        )
        var json = realm.json
        json["roles"] = .object(Self.roles(whole, realmID: realm.id))
        json["groups"] = .array(GroupRepresentation.tree(whole.groups).map(JSONValue.object))
        let shown = Self.scopeMappings(whole)
        if !shown.ofRealm.isEmpty { json["scopeMappings"] = .array(shown.ofRealm) }
        if !shown.byClient.isEmpty { json["clientScopeMappings"] = .object(shown.byClient) }
        let assigned = AssignedScopes(whole.realm, scopes: whole.scopes)
        json["clients"] = .array(
            try whole.clients.map { client in
                let secret = try secrets.secret(of: client)
                return .object(
                    ClientRepresentation(
                        client,
                        in: whole.realm,
                        scopes: assigned,
                        secret: secret
                    ).json
                )
            }
        )
        if !whole.scopes.isEmpty {
            json["clientScopes"] = .array(
                whole.scopes.map { .object(ClientScopeRepresentation($0).json) }
            )
        }
        for (kind, value) in try Self.parts(whole.parts, secrets) { json[kind] = value }
        let components = try Self.components(whole, secrets, at: now)
        if !components.isEmpty { json["components"] = .object(components) }
        self.json = json.ordered(RepresentationMembers.realm.order)
    }

    private static func roles(_ whole: NewRealm, realmID: String) -> JSONObject {
        let parts = Dictionary(grouping: whole.roleParts, by: \.role).mapValues { $0.map(\.part) }
        let ids = whole.clients.keyed { ExactText($0.clientID) }.mapValues(\.id)
        var ofRealm: [JSONValue] = []
        var byClient: [(name: String, value: JSONValue)] = []
        let grouped = Dictionary(grouping: whole.roles) { $0.clientID.map(ExactText.init) }
        for (clientID, roles) in grouped.sorted(by: { $0.key?.text ?? "" < $1.key?.text ?? "" }) {
            let containerID = clientID.map { ids[$0] ?? "" } ?? realmID
            let values = roles.map { role -> JSONValue in
                let whole = RoleRepresentation(
                    role,
                    parts: parts[role.roleName] ?? [],
                    containerID: containerID
                )
                return .object(whole.json)
            }
            if let clientID {
                byClient.append((clientID.text, .array(values)))
            } else {
                ofRealm = values
            }
        }
        return [
            "realm": .array(ofRealm),
            "client": .object(JSONObject(unique: byClient) ?? JSONObject()),
        ]
    }

    private static func scopeMappings(_ whole: NewRealm) -> (
        ofRealm: [JSONValue], byClient: JSONObject
    ) {
        let limits = Dictionary(grouping: whole.roleLimits, by: \.owner)
        let owners =
            whole.clients.map { ("client", $0.clientID, RoleLimit.Owner.client($0.id), false) }
            + whole.scopes.map {
                ("clientScope", $0.name, RoleLimit.Owner.scope($0.id), $0.isLimited)
            }
        var ofRealm: [JSONValue] = []
        var byClient: [String: [JSONValue]] = [:]
        for (kind, name, owner, isLimited) in owners {
            var roles = Dictionary(grouping: (limits[owner] ?? []).map(\.role), by: \.clientID)
            // One whose roles are gone is for no one, and without a word of it for everyone.
            if isLimited, roles.isEmpty { roles[String?.none] = [] }
            for (clientID, roles) in roles {
                let mapping: JSONValue = .object([
                    kind: .string(name), "roles": .texts(roles.map(\.name).sorted()),
                ])
                if let clientID {
                    byClient[clientID, default: []].append(mapping)
                } else {
                    ofRealm.append(mapping)
                }
            }
        }
        let members = byClient.sorted { $0.key < $1.key }
        let unique = JSONObject(unique: members.map { ($0.key, .array($0.value)) })
        return (ofRealm, unique ?? JSONObject())
    }

    /// Those with an id stood in a list.
    private static func parts(_ parts: [RealmPart], _ secrets: RealmSecrets) throws -> JSONObject {
        var members = JSONObject()
        let kinds = Dictionary(grouping: parts.filter { $0.kind != "components" }, by: \.kind)
        for (kind, parts) in kinds {
            let values = try parts.map { part -> JSONValue in
                .object(
                    kind == IdentityProviderRepresentation.kind
                        ? try IdentityProviderRepresentation(part, secrets: secrets).json
                        : try RealmPartRepresentation(part, secrets: secrets).json
                )
            }
            members[kind] = parts.first?.id.isEmpty == true ? values.first : .array(values)
        }
        return members
    }

    /// By their types.
    static func components(_ whole: NewRealm, _ secrets: RealmSecrets, at now: Int64) throws
        -> JSONObject
    {
        var byType: [String: [JSONValue]] = [:]
        for part in whole.parts where part.kind == "components" {
            let type = part.document.string("providerType") ?? ""
            let json = try RealmPartRepresentation(part, secrets: secrets).json
            byType[type, default: []].append(.object(json))
        }
        byType[PartImport.keyComponents] = try keys(whole, secrets, at: now)
        let members = byType.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        return JSONObject(unique: members.map { ($0.key, .array($0.value)) }) ?? JSONObject()
    }

    /// Of one algorithm, the key with the highest priority signs there.
    private static func keys(_ whole: NewRealm, _ secrets: RealmSecrets, at now: Int64) throws
        -> [JSONValue]
    {
        let living = whole.keys.filter { $0.retiredFrom.map { now < $0 } ?? true }
        let highest = (living.map(\.priority) + whole.keptKeys.map(\.priority)).max() ?? 0
        let made = living.filter { $0.component == nil }.sorted { $0.activeFrom < $1.activeFrom }
        let ranks = made.enumerated().keyed(by: \.element.keyID).mapValues { Int64($0.offset) }
        let signing = try living.map { record -> JSONValue in
            let rank = ranks[record.keyID] ?? 0
            return .object(
                try KeyComponentRepresentation(
                    record,
                    priority: min(highest, 1_000_000) + 1 + rank,
                    isActive: record.activeFrom <= now,
                    secrets: secrets
                ).json
            )
        }
        let kept = try whole.keptKeys.map { key -> JSONValue in
            .object(try KeyComponentRepresentation(key, secrets: secrets).json)
        }
        return signing + kept
    }
}

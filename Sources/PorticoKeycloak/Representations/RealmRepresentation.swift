import PorticoAdministration
package import PorticoProtocol
package import PorticoStores

/// A realm's settings as Keycloak writes them: `RealmRepresentation` without what has a place of
/// its own, such as clients, roles and people.
///
/// Of a realm from Keycloak, what its file said stands, as long as it still says what is kept here;
/// of other realms, what there is a member for.
package struct RealmRepresentation: Sendable {
    let realm: Realm
    private let graph: RoleGraph
    private let kept: JSONObject

    /// - Parameter graph: Its groups. Where it is empty, the representation names no default groups.
    package init(_ realm: Realm, graph: RoleGraph = .empty) {
        self.realm = realm
        self.graph = graph
        kept = realm.kept.object
    }

    /// The realm's id in representations: that of its file, which may be its name.
    package var id: String { kept.string("id") ?? realm.id }

    /// Whether a refresh token is good once.
    package var revokesRefreshTokens: Bool { kept.bool("revokeRefreshToken") ?? false }

    package var json: JSONObject {
        var json = kept
        json["id"] = .string(id)
        json["realm"] = .string(realm.name)
        RealmMembers.table.write(realm, over: kept, to: &json)
        let said = kept.object("attributes") ?? JSONObject()
        var attributes = said
        RealmMembers.attributes.write(realm, over: said, to: &attributes)
        if attributes != said { json["attributes"] = .object(attributes) }
        setDefaults(in: &json)
        return json.ordered(RealmMembers.table.representation.order)
    }

    /// What new people and clients get. Files from before version 13 have no default role: clients say the rest.
    private func setDefaults(in json: inout JSONObject) {
        let paths = realm.defaultGroupIDs.filter { graph.group($0) != nil }.map(graph.path)
        if !paths.isEmpty { json["defaultGroups"] = .texts(paths) }
        json["defaultDefaultClientScopes"] = .texts(realm.defaultClientScopes)
        json["defaultOptionalClientScopes"] = .texts(realm.optionalClientScopes)
        let (role, roles) = ("defaultRole", "defaultRoles")
        let now = realm.defaultRoles
        if let name = kept.object(role)?.string("name"),
            now == [RoleName(clientID: nil, name: name)]
        {
            return
        }
        if kept[role] != nil || kept[roles] == nil, now.count == 1, now[0].clientID == nil {
            json[role] = ["name": .string(now[0].name)]
        } else {
            json[role] = nil
            if kept.strings(roles) ?? [] != now.ofRealm { json[roles] = .texts(now.ofRealm) }
        }
    }
}

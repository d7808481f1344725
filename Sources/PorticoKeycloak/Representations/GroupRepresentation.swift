package import PorticoProtocol
package import PorticoStores

/// A group as Keycloak writes it (Keycloak `GroupRepresentation`).
package struct GroupRepresentation: Sendable {
    let group: GroupWithRoles
    /// The names from the top, each behind a slash.
    let path: String
    package var subGroups: [JSONObject]

    package init(_ group: GroupWithRoles, path: String, subGroups: [JSONObject] = []) {
        self.group = group
        self.path = path
        self.subGroups = subGroups
    }

    package var json: JSONObject {
        let group = group.group
        var json: JSONObject = ["id": .string(group.id), "name": .string(group.name)]
        if !group.description.isEmpty { json["description"] = .string(group.description) }
        json["path"] = .string(path)
        if let parentID = group.parentID { json["parentId"] = .string(parentID) }
        json["subGroups"] = .array(subGroups.map(JSONValue.object))
        json["attributes"] = .lists(group.attributes)
        json["realmRoles"] = .texts(self.group.roles.ofRealm)
        json["clientRoles"] = .object(self.group.roles.byClient)
        return json
    }

    /// The path of each group, by its id.
    ///
    /// - Parameter groups: Parents before their children.
    package static func paths(of groups: [GroupWithRoles]) -> [String: String] {
        var paths: [String: String] = [:]
        for group in groups.map(\.group) {
            paths[group.id] = (group.parentID.flatMap { paths[$0] } ?? "") + "/" + group.name
        }
        return paths
    }

    /// The groups at the top with all below them.
    ///
    /// - Parameter groups: Parents before their children.
    package static func tree(_ groups: [GroupWithRoles]) -> [JSONObject] {
        let paths = paths(of: groups)
        var below: [String?: [JSONObject]] = [:]
        for group in groups.reversed() {
            let subGroups = below.removeValue(forKey: group.group.id) ?? []
            let whole = GroupRepresentation(
                group,
                path: paths[group.group.id] ?? "",
                subGroups: subGroups.reversed()
            )
            below[group.group.parentID, default: []].append(whole.json)
        }
        return (below[nil] ?? []).reversed()
    }
}

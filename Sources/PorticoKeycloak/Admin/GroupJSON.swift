import PorticoAdministration
import PorticoProtocol
import PorticoStores

/// Groups as the administration shows them (Keycloak `GroupRepresentation`).
extension AdminCall {
    var groupAccess: JSONValue {
        let mayManage = JSONValue.bool(rights.allows(.manageUsers))
        return [
            "view": true, "viewMembers": .bool(rights.allows(.viewUsers)),
            "manageMembers": mayManage, "manage": mayManage, "manageMembership": mayManage,
        ]
    }

    /// As a person's group: without the groups in it.
    func brief(_ group: GroupWithRoles) -> JSONObject {
        var json = json(of: group, isBrief: true)
        json["subGroupCount"] = nil
        json["access"] = nil
        return json
    }

    /// - Parameter isBrief: Without attributes and roles, which are for those who may view people:
    ///   they say what members are and may do.
    func json(of group: GroupWithRoles, isBrief: Bool) -> JSONObject {
        var json = GroupRepresentation(group, path: graph.path(of: group.group.id)).json
        json["subGroupCount"] = .integer(Int64(graph.groups(in: group.group.id).count))
        if isBrief || !rights.allows(.viewUsers) {
            for name in ["attributes", "realmRoles", "clientRoles"] { json[name] = nil }
        }
        json["access"] = groupAccess
        return json
    }

    /// With those in it that are shown, or lie above one.
    func tree(of group: GroupWithRoles, showing shown: Set<String>, isBrief: Bool) -> JSONObject {
        var json = json(of: group, isBrief: isBrief)
        let below = graph.groups(in: group.group.id).filter { shown.contains($0.group.id) }
        json["subGroups"] = .array(
            below.map { .object(tree(of: $0, showing: shown, isBrief: isBrief)) }
        )
        return json
    }
}

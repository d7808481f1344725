package import PorticoProtocol
package import PorticoStores

/// A group as Keycloak writes it (Keycloak `GroupRepresentation`).
package struct GroupRepresentation: Sendable {
    var group: GroupWithRoles
    /// The names from the top, each behind a slash.
    let path: String
    let subGroups: [JSONObject]

    package init(_ group: GroupWithRoles, path: String = "", subGroups: [JSONObject] = []) {
        self.group = group
        self.path = path
        self.subGroups = subGroups
    }

    typealias Line = MemberLine<GroupRepresentation>

    static let members = MemberTable<GroupRepresentation>(
        "GroupRepresentation",
        [
            Line("id:text", by: .made { .string($0.group.group.id) }),
            Line("name:text", by: .made { .string($0.group.group.name) }),
            Line("description:text", by: .string(\.group.group.description)),
            Line("path:text-", by: .made { .string($0.path) }),
            Line("parentId:text-", by: .made { $0.group.group.parentID.map(JSONValue.string) }),
            Line("subGroupCount-"),
            Line("subGroups:parts", by: .made { .array($0.subGroups.map(JSONValue.object)) }),
            Line("attributes:map", by: .lists(\.group.group.attributes).always),
            Line("realmRoles:texts", by: .realmRoles(\.group.roles).always),
            Line("clientRoles:map", by: .clientRoles(\.group.roles).always),
            Line("access"),
        ]
    )

    package var json: JSONObject { Self.members.json(of: self) }

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

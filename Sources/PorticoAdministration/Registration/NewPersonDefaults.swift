package import PorticoStores

/// What new people of a realm get.
package struct NewPersonDefaults: Sendable {
    package let roles: [RoleName]
    /// Of the groups that there still are.
    package let groupIDs: [String]

    package init(_ realm: Realm, graph: RoleGraph) {
        roles = realm.defaultRoles
        groupIDs = realm.defaultGroupIDs.filter { graph.group($0) != nil }
    }
}

package import PorticoStores

/// What new people of a realm get.
package struct NewPersonDefaults: Sendable {
    package let roles: [RoleName]
    package let groupIDs: [String]

    package init(_ realm: Realm) {
        roles = realm.defaultRoles
        groupIDs = realm.defaultGroupIDs
    }
}

package import PorticoAdministration
package import PorticoStores

extension LiveRealm {
    package var newPersonDefaults: NewPersonDefaults { NewPersonDefaults(realm) }

    package var defaultRoles: [RoleName] { newPersonDefaults.roles }

    package var defaultGroupIDs: [String] { newPersonDefaults.groupIDs }
}

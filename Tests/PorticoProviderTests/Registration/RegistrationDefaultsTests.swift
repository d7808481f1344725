import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What new people of a realm get") struct RegistrationDefaultsTests {
    private func registered(
        actions: [RealmPart] = [],
        configure: @escaping (inout NewRealm) -> Void = { _ in }
    ) async throws -> (RegistrationScene, Reply) {
        let scene = try await RegistrationScene(sendsMail: false, configure: configure)
        let realm = try #require(scene.server.provider.realms.realm(named: "test"))
        for action in actions {
            var action = action
            action.realmID = realm.id
            try await scene.server.database.realms.put(action)
        }
        return (scene, try await scene.submit())
    }

    private func action(_ alias: String, _ isEnabled: Bool, _ isDefault: Bool) -> RealmPart {
        RealmPart(
            realmID: "",
            kind: "requiredActions",
            id: alias,
            document: [
                "alias": .string(alias), "enabled": .bool(isEnabled),
                "defaultAction": .bool(isDefault),
            ]
        )
    }

    @Test("decision 0052: the default roles and groups")
    func rolesAndGroups() async throws {
        let roles = [
            RoleName(clientID: nil, name: "reader"), RoleName(clientID: "web1", name: "publisher"),
        ]
        let (scene, reply) = try await registered { new in
            let realmID = new.realm.id
            let top = Group(id: "g-1", realmID: realmID, parentID: nil, name: "customers")
            let child = Group(id: "g-2", realmID: realmID, parentID: "g-1", name: "new ones")
            new.groups = [GroupWithRoles(group: top), GroupWithRoles(group: child)]
            new.realm.defaultRoles = roles
            new.realm.defaultGroupIDs = ["g-2"]
        }
        expectCode(reply)
        let person = try #require(try await scene.person("cora"))
        #expect(person.roles == roles)
        #expect(person.groupIDs == ["g-2"])
    }

    @Test("Where nothing is said they get nothing")
    func nothing() async throws {
        let (scene, reply) = try await registered()
        expectCode(reply)
        let person = try #require(try await scene.person("cora"))
        #expect(person.roles.isEmpty && person.groupIDs.isEmpty)
    }

    @Test("decision 0052: what the realm demands of new people comes before the app")
    func actions() async throws {
        let (scene, reply) = try await registered(
            actions: [
                action("CONFIGURE_TOTP", true, true), action("UPDATE_PASSWORD", true, false),
                action("TERMS_AND_CONDITIONS", false, true), action("two words", true, true),
            ]
        )
        #expect(reply.location?.hasPrefix("/realms/test/account/second-factor") == true)
        #expect(try await scene.person("cora")?.person.requiredActions == ["CONFIGURE_TOTP"])
    }
}

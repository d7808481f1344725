import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What new people of a realm from Keycloak get") struct RegistrationDefaultsTests {
    private func registered(
        _ keycloak: JSONObject?,
        client: JSONObject? = nil,
        actions: [RealmPart] = [],
        configure: @escaping (inout NewRealm) -> Void = { _ in }
    ) async throws -> (RegistrationScene, Reply) {
        let scene = try await RegistrationScene(sendsMail: false) { new in
            new.realm.keycloak = keycloak
            if let client, let place = new.clients.firstIndex(where: { $0.clientID == "web1" }) {
                new.clients[place].keycloak = client
            }
            configure(&new)
        }
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

    @Test(
        "decision 0052: the default role, and default groups by their paths; what is gone is left out"
    )
    func rolesAndGroups() async throws {
        let (scene, reply) = try await registered([
            "defaultRole": ["name": "reader"],
            "defaultGroups": ["/customers/new ones", "/gone"],
        ]) { new in
            let realmID = new.realm.id
            let top = Group(id: "g-1", realmID: realmID, parentID: nil, name: "customers")
            let child = Group(id: "g-2", realmID: realmID, parentID: "g-1", name: "new ones")
            new.groups = [GroupWithRoles(group: top), GroupWithRoles(group: child)]
        }
        expectCode(reply)
        let person = try #require(try await scene.person("cora"))
        #expect(person.roles == [RoleName(clientID: nil, name: "reader")])
        #expect(person.groupIDs == ["g-2"])
        let (without, answer) = try await registered(["defaultRole": ["name": "no such"]])
        expectCode(answer)
        #expect(try await without.person("cora")?.roles == [])
    }

    @Test(
        "decision 0052: default roles of files from before version 13, of the realm and of clients"
    )
    func oldRoles() async throws {
        let (scene, reply) = try await registered(
            ["defaultRoles": ["reader", "no such"]],
            client: ["defaultRoles": ["publisher"]]
        )
        expectCode(reply)
        #expect(
            try await scene.person("cora")?.roles == [
                RoleName(clientID: nil, name: "reader"),
                RoleName(clientID: "web1", name: "publisher"),
            ]
        )
    }

    @Test("A realm of our own gives new people nothing")
    func ownRealm() async throws {
        let (scene, reply) = try await registered(nil)
        expectCode(reply)
        let person = try #require(try await scene.person("cora"))
        #expect(person.roles.isEmpty && person.groupIDs.isEmpty)
    }

    @Test(
        "decision 0052: what the realm demands of every new person is demanded before an app gets anything"
    )
    func actions() async throws {
        let (scene, reply) = try await registered(
            [:],
            actions: [
                action("CONFIGURE_TOTP", true, true), action("UPDATE_PASSWORD", true, false),
                action("TERMS_AND_CONDITIONS", false, true), action("two words", true, true),
            ]
        )
        #expect(reply.location?.hasPrefix("/realms/test/account/second-factor") == true)
        #expect(try await scene.person("cora")?.person.requiredActions == ["CONFIGURE_TOTP"])
    }
}

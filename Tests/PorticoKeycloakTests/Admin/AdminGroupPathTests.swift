import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Paths name groups: each one at most one.
@Suite("Paths of groups by the administration") struct AdminGroupPathTests {
    @Test("attack: manage-users makes, renames or moves a group to the path of a strong one")
    func twins() async throws {
        let admin = try await AdminUnderTest(["manage-users", "realm-admin"])
        let helper = try await admin.token("manage-users")
        let root = try await admin.token("realm-admin")
        let strong = try await admin.id(ofGroup: "/bosses/helpers", by: root)
        let staff = try await admin.id(ofGroup: "/staff", by: helper)
        let twin = #"{"name": "bosses/helpers"}"#
        #expect(try await admin.send(.post, "/groups", twin, by: helper).status == 409)
        #expect(try await admin.send(.put, "/groups/\(staff)", twin, by: helper).status == 409)
        let inside = "/groups/\(staff)/children"
        let made = try await admin.send(.post, inside, twin, by: helper)
        #expect(made.status == 201, "\(made.text)")
        let moved = #"{"id": "\#(made.madeID)", "name": "bosses/helpers"}"#
        #expect(try await admin.send(.post, "/groups", moved, by: helper).status == 409)
        // What lies in it comes along.
        let other = try await admin.send(.post, "/groups", #"{"name": "x/ios"}"#, by: helper)
        #expect(other.status == 201)
        let rename = #"{"name": "x"}"#
        #expect(try await admin.send(.put, "/groups/\(staff)", rename, by: helper).status == 409)
        #expect(try await admin.id(ofGroup: "/bosses/helpers", by: root) == strong)
        #expect(try await admin.id(ofGroup: "/staff", by: root) == staff)
        let file = #"{"groups": [{"name": "bosses/helpers"}]}"#
        let both = try await admin.send(.post, "/partialImport", file, by: root)
        #expect(both.status == 409, "\(both.text)")
    }

    @Test("attack: of two groups of one path, which a file may have, none is taken for the other")
    func imported() async throws {
        let file = """
            {"realm": "master", "enabled": true, "defaultGroups": ["/a/b", "/a"],
             "groups": [{"name": "a", "subGroups": [{"name": "b"}]}, {"name": "a/b"}],
             "roles": {"realm": [{"name": "admin"}, {"name": "create-realm"}]},
             "clients": [{"clientId": "master-realm"},
               {"clientId": "root", "serviceAccountsEnabled": true, "standardFlowEnabled": false,
                "secret": "\(AdminUnderTest.secret)"}],
             "users": [{"username": "service-account-root", "enabled": true,
               "serviceAccountClientId": "root", "realmRoles": ["admin"]}]}
            """
        let admin = try await AdminUnderTest(master: file, hasMaster: true)
        let root = try await admin.token("root", realm: "master")
        let realm = "/admin/realms/master"
        let path = realm + "/group-by-path/a/b"
        #expect(try await admin.send(.get, path, by: root).status == 404)
        let user = #"{"username": "eve", "groups": ["/a/b"]}"#
        #expect(try await admin.send(.post, realm + "/users", user, by: root).status == 404)
        let defaults = try await admin.send(.get, realm + "/default-groups", by: root).list
        #expect(defaults.compactMap { $0.string("path") } == ["/a"])
        let groups = try await admin.send(.get, realm + "/groups", by: root).list
        #expect(groups.compactMap { $0.string("name") } == ["a", "a/b"])
        let twin = try #require(groups.last?.string("id"))
        let standard = realm + "/default-groups/\(twin)"
        #expect(try await admin.send(.put, standard, by: root).status == 400)
        // By its id it gets another name, and both are found.
        let name = #"{"name": "c"}"#
        #expect(try await admin.send(.put, realm + "/groups/\(twin)", name, by: root).status == 204)
        #expect(try await admin.send(.get, path, by: root).status == 200)
        // Which of them was the default is not guessed.
        let left = try await admin.send(.get, realm + "/default-groups", by: root).list
        #expect(left.compactMap { $0.string("path") } == ["/a"])
    }

    @Test("KC-A-2: a default group stays one when it, or one above it, is renamed or moved")
    func defaults() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let staff = try await admin.id(ofGroup: "/staff", by: root)
        let ios = try await admin.id(ofGroup: "/staff/ios", by: root)
        for id in [ios, staff] {
            #expect(try await admin.send(.put, "/default-groups/\(id)", by: root).status == 204)
        }
        func defaults() async throws -> [String?] {
            try await admin.send(.get, "/default-groups", by: root).list.map { $0.string("path") }
        }
        let name = #"{"name": "team"}"#
        #expect(try await admin.send(.put, "/groups/\(staff)", name, by: root).status == 204)
        #expect(try await defaults() == ["/team/ios", "/team"])
        let moved = #"{"id": "\#(ios)", "name": "ios"}"#
        #expect(try await admin.send(.post, "/groups", moved, by: root).status == 204)
        #expect(try await defaults() == ["/ios", "/team"])
        let user = #"{"username": "eve"}"#
        let eve = try await admin.send(.post, "/users", user, by: root).madeID
        let groups = try await admin.send(.get, "/users/\(eve)/groups", by: root).list
        #expect(groups.compactMap { $0.string("name") } == ["ios", "team"])
        let unknown = #"{"id": "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9eff", "name": "x"}"#
        // One that is gone leaves no path to whoever comes after it.
        #expect(try await admin.send(.delete, "/groups/\(staff)", by: root).status == 204)
        #expect(try await defaults() == ["/ios"])
        #expect(try await admin.send(.post, "/groups", name, by: root).status == 201)
        #expect(try await defaults() == ["/ios"])
        for path in ["/groups", "/groups/\(ios)/children"] {
            let reply = try await admin.send(.post, path, unknown, by: root)
            #expect(reply.status == 404 && reply.error == "Could not find child by id", "\(path)")
        }
    }

    @Test("KC-A-2: the default role of a realm keeps its name, and is not deleted")
    func defaultRole() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let path = "/roles/default-roles-acme"
        #expect(try await admin.send(.put, path, #"{"name": "x"}"#, by: root).status == 400)
        let refused = try await admin.send(.delete, path, by: root)
        #expect(refused.status == 400 && refused.text.contains("Take out of it what new people"))
        let text = #"{"name": "default-roles-acme", "description": "Everyone"}"#
        #expect(try await admin.send(.put, path, text, by: root).status == 204)
        let role = try await admin.send(.get, path, by: root).json
        #expect(role.string("description") == "Everyone")
    }

    @Test("KC-A-2: nor are default roles of files from before version 13, a client's too")
    func oldDefaultRoles() async throws {
        let admin = try await AdminUnderTest(
            ["realm-admin"],
            more: #""defaultRoles": ["editor"], "#
        )
        let root = try await admin.token("realm-admin")
        let app = "/clients/\(AdminUnderTest.appID)"
        let mine = #"{"defaultRoles": ["reader"]}"#
        #expect(try await admin.send(.put, app, mine, by: root).status == 204)
        for path in ["/roles/editor", "\(app)/roles/reader"] {
            #expect(try await admin.send(.put, path, #"{"name": "x"}"#, by: root).status == 400)
            #expect(try await admin.send(.delete, path, by: root).status == 400)
            #expect(try await admin.send(.get, path, by: root).status == 200)
        }
        let reader = "\(app)/roles/reader"
        let refused = try await admin.send(.delete, reader, by: root)
        #expect(refused.text.contains("Take it out of the client's defaultRoles first"))
        let none = #"{"defaultRoles": []}"#
        #expect(try await admin.send(.put, app, none, by: root).status == 204)
        #expect(try await admin.send(.delete, reader, by: root).status == 204)
    }
}

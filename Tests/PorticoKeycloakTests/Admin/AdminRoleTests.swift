import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Roles, groups and who has them, by the administration over HTTP.
@Suite("Roles and groups by the administration") struct AdminRoleTests {
    private static let ann = "/users/\(AdminUnderTest.annID)"

    private func names(_ reply: Reply) -> [String] {
        reply.list.compactMap { $0.string("name") }
    }

    @Test("KC-A-2: a role is made, contains others, is renamed and deleted")
    func roles() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let made = try await admin.send(
            .post,
            "/roles",
            #"{"name": "lead", "description": "Leads", "attributes": {"level": ["1"]}}"#,
            by: token
        )
        #expect(made.status == 201 && made.body.isEmpty)
        #expect(made.location == "https://op.example.com/admin/realms/acme/roles/lead")
        let twice = try await admin.send(.post, "/roles", #"{"name": "lead"}"#, by: token)
        #expect(twice.status == 409)
        #expect(twice.json == ["errorMessage": "Role with name lead already exists"])
        let nameless = try await admin.send(.post, "/roles", "{}", by: token)
        #expect(nameless.json == ["error": "role has no name"])
        let app = "/clients/\(AdminUnderTest.appID)/roles"
        #expect(try await admin.send(.post, app, #"{"name": "writer"}"#, by: token).status == 201)
        let parts = """
            [\(try await admin.send(.get, "/roles/editor", by: token).text),
             \(try await admin.send(.get, app + "/writer", by: token).text)]
            """
        let composites = "/roles/lead/composites"
        #expect(try await admin.send(.post, composites, parts, by: token).status == 204)
        #expect(names(try await admin.send(.get, composites, by: token)) == ["editor", "writer"])
        #expect(names(try await admin.send(.get, composites + "/realm", by: token)) == ["editor"])
        let ofClient = composites + "/clients/\(AdminUnderTest.appID)"
        #expect(names(try await admin.send(.get, ofClient, by: token)) == ["writer"])
        let lead = try await admin.send(.get, "/roles/lead", by: token).json
        #expect(lead.bool("composite") == true && lead["composites"] == nil)
        #expect(lead["attributes"] == ["level": ["1"]])
        let id = try #require(lead.string("id"))
        let renamed = #"{"name": "chair", "description": "Chairs"}"#
        #expect(try await admin.send(.put, "/roles-by-id/\(id)", renamed, by: token).status == 204)
        #expect(names(try await admin.send(.get, "/roles/chair/composites", by: token)).count == 2)
        let writer = try await admin.role(app + "/writer", by: token)
        let fewer = try await admin.send(.delete, "/roles/chair/composites", writer, by: token)
        #expect(fewer.status == 204)
        #expect(
            names(try await admin.send(.get, "/roles/chair/composites", by: token)) == ["editor"]
        )
        #expect(try await admin.send(.delete, "/roles/chair", by: token).status == 204)
        let gone = try await admin.send(.delete, "/roles/chair", by: token)
        #expect(gone.status == 404 && gone.json == ["error": "Could not find role"])
    }

    @Test("KC-A-2: roles of a person and of a group are given, listed and taken")
    func mappings() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let app = "clients/\(AdminUnderTest.appID)"
        let editor = try await admin.role("/roles/editor", by: token)
        let reader = try await admin.role("/\(app)/roles/reader", by: token)
        let staff = try await admin.id(ofGroup: "/staff", by: token)
        for owner in [Self.ann, "/groups/\(staff)"] {
            let base = owner + "/role-mappings"
            #expect(try await admin.send(.post, base + "/realm", editor, by: token).status == 204)
            #expect(try await admin.send(.post, "\(base)/\(app)", reader, by: token).status == 204)
            let all = try await admin.send(.get, base, by: token).json
            #expect(all.object("clientMappings")?.object("app")?.array("mappings")?.count == 1)
            let free = names(try await admin.send(.get, base + "/realm/available", by: token))
            #expect(free.contains("boss") && !free.contains("editor"))
            #expect(try await admin.send(.delete, base + "/realm", editor, by: token).status == 204)
            #expect(names(try await admin.send(.get, base + "/realm", by: token)).isEmpty)
        }
        let unknown = try await admin.send(
            .post,
            Self.ann + "/role-mappings/realm",
            #"[{"name": "nobody"}]"#,
            by: token
        )
        #expect(unknown.status == 404 && unknown.json == ["error": "Role not found"])
        let holders = try await admin.send(.get, "/\(app)/roles/reader/users", by: token).list
        #expect(holders.map { $0.string("username") } == ["ann"])
        let groups = names(try await admin.send(.get, "/\(app)/roles/reader/groups", by: token))
        #expect(groups == ["staff"])
        // What a group brings is effective for its members.
        let ios = try await admin.id(ofGroup: "/staff/ios", by: token)
        #expect(try await admin.send(.put, Self.ann + "/groups/\(ios)", by: token).status == 204)
        #expect(
            try await admin.send(.delete, "\(Self.ann)/role-mappings/\(app)", reader, by: token)
                .status == 204
        )
        let effective = Self.ann + "/role-mappings/\(app)/composite"
        #expect(names(try await admin.send(.get, effective, by: token)) == ["reader"])
    }

    @Test("KC-A-2: groups are made, found, moved and deleted")
    func groups() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let made = try await admin.send(
            .post,
            "/groups",
            #"{"name": "R/D", "attributes": {"floor": ["1"]}}"#,
            by: token
        )
        #expect(made.status == 201 && made.body.isEmpty)
        let twice = try await admin.send(.post, "/groups", #"{"name": "R/D"}"#, by: token)
        #expect(twice.status == 409)
        #expect(twice.json == ["errorMessage": "Top level group named 'R/D' already exists."])
        let nameless = try await admin.send(.post, "/groups", #"{"name": ""}"#, by: token)
        #expect(nameless.json == ["errorMessage": "Group name is missing"])
        let path = "/groups/\(made.madeID)"
        let child = try await admin.send(.post, path + "/children", #"{"name": "x"}"#, by: token)
        #expect(child.status == 201)
        #expect(child.json.string("path") == "/R/D/x" && child.json["access"] != nil)
        let group = try await admin.send(.get, path, by: token).json
        #expect(group.int64("subGroupCount") == 1 && group["attributes"] == ["floor": ["1"]])
        let found = try await admin.send(.get, "/group-by-path/R/D/x", by: token).json
        #expect(found.string("id") == child.json.string("id"))
        let none = try await admin.send(.get, "/group-by-path/none", by: token)
        #expect(none.status == 404 && none.json == ["error": "Group path does not exist"])
        let search = try await admin.send(.get, "/groups?search=ios&exact=true", by: token).list
        #expect(search.count == 1)
        #expect(search.first?.array("subGroups")?.first?.object?.string("name") == "ios")
        #expect(try await admin.send(.get, "/groups/count", by: token).json == ["count": 6])
        // Not into itself.
        let id = try #require(child.json.string("id"))
        let cycle = try await admin.send(
            .post,
            "/groups/\(id)/children",
            #"{"id": "\#(made.madeID)", "name": "R/D"}"#,
            by: token
        )
        #expect(cycle.status == 400)
        let changed = #"{"name": "R&D", "attributes": {"floor": ["2"]}}"#
        #expect(try await admin.send(.put, path, changed, by: token).status == 204)
        #expect(try await admin.send(.get, "/group-by-path/R%26D/x", by: token).status == 200)
        let put = try await admin.send(.put, Self.ann + "/groups/\(id)", by: token)
        #expect(put.status == 204)
        let members = try await admin.send(.get, "/groups/\(id)/members", by: token).list
        #expect(members.map { $0.string("username") } == ["ann"])
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        #expect(try await admin.send(.get, "/groups/\(id)", by: token).status == 404)
        #expect(try await admin.send(.get, Self.ann, by: token).status == 200)
    }
}

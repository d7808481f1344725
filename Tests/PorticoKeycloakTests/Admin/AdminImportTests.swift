import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// A part of a file into a realm that is there.
@Suite("Partial import by the administration") struct AdminImportTests {
    private static let file = #"""
        "users": [{"username": "ann", "firstName": "Anna"}, {"username": "dora", "enabled": true,
            "clientRoles": {"app": ["reader"]}}],
        "clients": [{"clientId": "app", "name": "App"}, {"clientId": "new"}],
        "groups": [{"name": "staff", "description": "All"}, {"name": "guests"}],
        "roles": {"realm": [{"name": "editor"}, {"name": "third"}],
            "client": {"new": [{"name": "own"}]}}}
        """#

    @Test("KC-A-2: what is there is skipped, or changed, or makes the whole fail")
    func existing() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        func sent(_ word: String) async throws -> Reply {
            let body = #"{"ifResourceExists": "\#(word)", \#(Self.file)"#
            return try await admin.send(.post, "/partialImport", body, by: token)
        }
        let failed = try await sent("FAIL")
        #expect(failed.status == 409)
        #expect(try await admin.send(.get, "/users?username=dora", by: token).list.isEmpty)
        #expect(try await admin.send(.get, "/roles/third", by: token).status == 404)
        let skipped = try await sent("SKIP")
        #expect(skipped.status == 200, "\(skipped.text)")
        #expect(skipped.json.int64("added") == 5 && skipped.json.int64("skipped") == 4)
        #expect(skipped.json.array("results")?.count == 9)
        let ann = "/users/\(AdminUnderTest.annID)"
        #expect(try await admin.send(.get, ann, by: token).json.string("firstName") == "Ann")
        let dora = try await admin.send(.get, "/users?username=dora", by: token).list.first
        let id = try #require(dora?.string("id"))
        let roles = "/users/\(id)/role-mappings/clients/\(AdminUnderTest.appID)"
        let names = try await admin.send(.get, roles, by: token).list
        #expect(names.map { $0.string("name") } == ["reader"])
        let changed = try await sent("OVERWRITE")
        #expect(changed.json.int64("overwritten") == 9 && changed.json.int64("added") == 0)
        let kept = try await admin.send(.get, ann, by: token).json
        #expect(kept.string("firstName") == "Anna" && kept.string("lastName") == "Lee")
        #expect(try await sent("SOMETIMES").status == 400)
        let only = #"{"ifResourceExists": "FAIL", "users": [{"username": "ann"}]}"#
        let one = try await admin.send(.post, "/partialImport", only, by: token)
        #expect(one.json == ["errorMessage": "User with user name ann already exists."])
    }

    @Test("attack: a file that overwrites someone gives them another one's name as an address")
    func ambiguous() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let bea = #"{"username": "bea@example.com", "enabled": true}"#
        #expect(try await admin.send(.post, "/users", bea, by: token).status == 201)
        let file = #"""
            {"ifResourceExists": "OVERWRITE",
             "users": [{"username": "ann", "email": "bea@example.com"}]}
            """#
        let reply = try await admin.send(.post, "/partialImport", file, by: token)
        #expect(reply.status == 409, "\(reply.text)")
        let ann = "/users/\(AdminUnderTest.annID)"
        let kept = try await admin.send(.get, ann, by: token).json
        #expect(kept.string("email") == "ann@example.com")
    }

    @Test("decision 0051: a client that is made by the administration did not come with the realm")
    func moved() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let own = #"{"clientId": "own", "redirectUris": ["https://own.example/cb"]}"#
        #expect(try await admin.send(.post, "/clients", own, by: token).status == 201)
        let body = #"{"ifResourceExists": "OVERWRITE", \#(Self.file)"#
        #expect(try await admin.send(.post, "/partialImport", body, by: token).status == 200)
        let name = #"{"name": "Another"}"#
        for client in ["app", "own", "new"] {
            let path = "/clients/" + (try await admin.id(ofClient: client, by: token))
            #expect(try await admin.send(.put, path, name, by: token).status == 204)
        }
        let clients = try await admin.server.database.realms.snapshot().clients
        for (client, isMoved) in [("app", true), ("own", false), ("new", false)] {
            let kept = try #require(clients.first { $0.clientID == client })
            #expect(kept.isMoved == isMoved && kept.name == "Another", "\(client)")
        }
    }

    @Test("KC-A-2: a large file is written, one thing named twice and a larger file are not")
    func large() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        func list(_ count: Int, _ one: (Int) -> String) -> String {
            "[" + (0..<count).map(one).joined(separator: ", ") + "]"
        }
        func sent(_ members: String) async throws -> Reply {
            try await admin.send(.post, "/partialImport", "{\(members)}", by: token)
        }
        let many = list(5001) { #"{"name": "r\#($0)"}"# }
        let refused = try await sent(#""roles": {"realm": \#(many)}"#)
        #expect(refused.status == 400, "\(refused.text)")
        for twice in [
            #""users": [{"username": "eve"}, {"username": "eve"}]"#,
            #""groups": [{"name": "g"}, {"name": "g"}]"#,
            #""roles": {"realm": [{"name": "r0"}, {"name": "r0"}]}"#,
            #""clients": [{"clientId": "c"}, {"clientId": "c"}]"#,
        ] {
            #expect(try await sent(twice).status == 400, "\(twice)")
        }
        #expect(try await admin.send(.get, "/roles/r0", by: token).status == 404)
        let members = """
            "clients": \(list(200) { #"{"clientId": "c\#($0)", "publicClient": true}"# }),
            "roles": {"realm": \(list(200) { #"{"name": "r\#($0)"}"# }),
              "client": {"c7": \(list(200) { #"{"name": "own\#($0)"}"# })}},
            "groups": \(list(200) { #"{"name": "g\#($0)"}"# }),
            "users": \(list(200) { #"""
                {"username": "u\#($0)", "groups": ["/g\#($0)"], "realmRoles": ["r\#($0)"],
                 "clientRoles": {"c7": ["own\#($0)"]}}
                """# })
            """
        let made = try await sent(members)
        #expect(made.text.contains(#""added":1000,"#), "\(made.text.prefix(200))")
        let one = try await admin.send(.get, "/users?username=u199&exact=true", by: token).list
        let id = try #require(one.first?.string("id"))
        let groups = try await admin.send(.get, "/users/\(id)/groups", by: token).list
        #expect(groups.map { $0.string("name") } == ["g199"])
        let roles = try await admin.send(.get, "/users/\(id)/role-mappings", by: token).json
        #expect(roles.object("clientMappings")?.object("c7") != nil)
    }

    @Test("attack: a partial import gives no more than its parts would")
    func rights() async throws {
        let admin = try await AdminUnderTest(["manage-realm", "manage-realm+manage-users"])
        let ruler = try await admin.token("manage-realm")
        let both = try await admin.token("manage-realm+manage-users")
        let attempts = [
            (ruler, #""users": [{"username": "eve"}]"#), (ruler, #""groups": [{"name": "mine"}]"#),
            (ruler, #""clients": [{"clientId": "mine"}]"#),
            (
                ruler,
                #"""
                "roles": {"realm": [{"name": "mine",
                    "composites": {"client": {"realm-management": ["manage-users"]}}}]}
                """#
            ),
            (ruler, #""roles": {"client": {"realm-management": [{"name": "manage-all"}]}}"#),
            (both, #""users": [{"username": "eve", "realmRoles": ["boss"]}]"#),
            (
                both,
                #""users": [{"username": "eve", "clientRoles": {"realm-management": ["realm-admin"]}}]"#
            ),
            (both, #""users": [{"username": "eve", "groups": ["/bosses"]}]"#),
            (both, #""users": [{"username": "chief", "email": "mine@evil.example"}]"#),
        ]
        for (token, members) in attempts {
            let body = #"{"ifResourceExists": "OVERWRITE", \#(members)}"#
            let reply = try await admin.send(.post, "/partialImport", body, by: token)
            #expect(reply.status == 403, "\(members): \(reply.text)")
        }
        let people = try await admin.send(.get, "/users", by: both).list
        #expect(people.map { $0.string("username") } == ["ann", "chief"])
        #expect(people.last?.string("email") == "chief@example.com")
        #expect(try await admin.send(.get, "/roles/mine", by: ruler).status == 404)
    }
}

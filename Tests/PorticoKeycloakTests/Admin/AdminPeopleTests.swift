import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// People, by the administration over HTTP.
@Suite("People by the administration") struct AdminPeopleTests {
    private static let ann = "/users/\(AdminUnderTest.annID)"

    @Test("KC-A-2: a person is made, found, changed and deleted")
    func life() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let made = try await admin.send(
            .post,
            "/users",
            #"""
            {"username": "Bea", "email": "bea@example.com", "firstName": "Bea", "lastName": "Kim",
             "enabled": true, "emailVerified": true, "groups": ["/staff/ios"],
             "attributes": {"locale": ["en"], "team": ["red", "blue"]}, "realmRoles": ["boss"],
             "credentials": [{"type": "password", "value": "Plenty-of-words", "temporary": true}]}
            """#,
            by: token
        )
        #expect(made.status == 201 && made.body.isEmpty, "\(made.text)")
        let path = "/users/\(made.madeID)"
        #expect(made.location == "https://op.example.com/admin/realms/acme" + path)
        let bea = try await admin.send(.get, path, by: token).json
        #expect(bea.string("username") == "bea")
        #expect(bea.object("attributes")?.strings("team") == ["red", "blue"])
        #expect(bea.strings("requiredActions") == ["UPDATE_PASSWORD"])
        #expect(bea.int64("createdTimestamp") == admin.server.clock.seconds * 1000)
        #expect(bea.bool("totp") == false && bea.object("access")?.bool("manage") == true)
        // The default role, and no role that was only asked for.
        let roles = try await admin.send(.get, path + "/role-mappings", by: token).json
        let names = roles.array("realmMappings")?.compactMap { $0.object?.string("name") }
        #expect(names == ["default-roles-acme"])
        let groups = try await admin.send(.get, path + "/groups", by: token).list
        #expect(groups.map { $0.string("path") } == ["/staff/ios"])
        // What is absent stays; attributes are replaced.
        let change = #"{"firstName": "Beatrix", "attributes": {"team": ["green"]}}"#
        #expect(try await admin.send(.put, path, change, by: token).status == 204)
        let changed = try await admin.send(.get, path, by: token).json
        #expect(changed.string("firstName") == "Beatrix" && changed.string("lastName") == "Kim")
        #expect(changed["attributes"] == ["team": ["green"]])
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        let gone = try await admin.send(.delete, path, by: token)
        #expect(gone.status == 404 && gone.json == ["error": "User not found"])
    }

    @Test("KC-A-2: people are found by parts of their names, and counted")
    func search() async throws {
        let admin = try await AdminUnderTest(["view-users"])
        let token = try await admin.token("view-users")
        func names(_ query: String) async throws -> [String] {
            let reply = try await admin.send(.get, "/users?\(query)", by: token)
            #expect(reply.status == 200, "\(query)")
            return reply.list.compactMap { $0.string("username") }
        }
        #expect(try await names("") == ["ann", "chief"])
        #expect(try await names("username=an") == ["ann"])
        #expect(try await names("username=an&exact=true").isEmpty)
        #expect(try await names("username=ANN&exact=true") == ["ann"])
        #expect(try await names("search=lee") == ["ann"])
        #expect(try await names("search=ee").isEmpty)
        #expect(try await names("search=*ee") == ["ann"])
        #expect(try await names("search=%25").isEmpty)
        #expect(try await names("search=_").isEmpty)
        #expect(try await names("email=ann@example.com&emailVerified=true&enabled=true") == ["ann"])
        #expect(try await names("enabled=false").isEmpty)
        #expect(try await names("lastName=LEE") == ["ann"])
        #expect(try await names("first=1&max=1") == ["chief"])
        #expect(try await names("q=locale:en").isEmpty)
        // Accounts of clients are no people.
        #expect(try await admin.send(.get, "/users/count", by: token).text == "2")
        #expect(try await admin.send(.get, "/users/count?search=ann", by: token).text == "1")
        let brief = try await admin.send(.get, "/users?briefRepresentation=true", by: token).list
        #expect(brief.first?["totp"] == nil && brief.first?["notBefore"] == nil)
    }

    @Test("KC-A-2: what a person's fields break is refused in Keycloak's words")
    func refused() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let cases: [(String, Int, JSONObject)] = [
            (#"{"username": "ann"}"#, 409, ["errorMessage": "User exists with same username"]),
            (
                #"{"username": "ann2", "email": "ann@example.com"}"#, 409,
                ["errorMessage": "User exists with same email"]
            ),
            (#"{"email": "x@example.com"}"#, 400, ["errorMessage": "User name is missing"]),
            (
                #"{"username": "two words"}"#, 400,
                [
                    "field": "username", "errorMessage": "error-username-invalid-character",
                    "params": ["username"],
                ]
            ),
            (
                #"{"username": "bad", "email": "no"}"#, 400,
                [
                    "field": "email", "errorMessage": "error-invalid-email",
                    "params": ["email", "no"],
                ]
            ),
            (
                #"{"username": "p", "credentials": [{"value": "short"}]}"#, 400,
                [
                    "error": "invalidPasswordMinLengthMessage",
                    "error_description": "Invalid password: minimum length 8.",
                ]
            ),
        ]
        for (body, status, json) in cases {
            let reply = try await admin.send(.post, "/users", body, by: token)
            #expect(reply.status == status, "\(body)")
            #expect(reply.json == json, "\(reply.text)")
        }
        #expect(try await admin.send(.get, "/users/count", by: token).text == "2")
    }

    @Test("KC-A-2: a new password ends sessions, and a temporary one must be replaced")
    func password() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let path = Self.ann + "/reset-password"
        let person = try await admin.token(ofPerson: "ann")
        let sessions = try await admin.send(.get, Self.ann + "/sessions", by: token).list
        #expect(sessions.first?.object("clients") == [AdminUnderTest.webID: "web"])
        let empty = try await admin.send(
            .put,
            path,
            #"{"type": "password", "value": ""}"#,
            by: token
        )
        #expect(empty.status == 400 && empty.json == ["error": "Empty password not allowed"])
        let body = #"{"type": "password", "value": "Another-123 one", "temporary": true}"#
        #expect(try await admin.send(.put, path, body, by: token).status == 204)
        #expect(try await admin.send(.get, Self.ann + "/sessions", by: token).text == "[]")
        let info = try await admin.server.send(
            .get,
            "/realms/acme/protocol/openid-connect/userinfo",
            headers: [.authorization: "Bearer \(person)"]
        )
        #expect(info.status == 401)
        let kept = try await admin.send(.get, Self.ann, by: token).json
        #expect(kept.strings("requiredActions") == ["UPDATE_PASSWORD"])
        let credentials = try await admin.send(.get, Self.ann + "/credentials", by: token)
        #expect(credentials.list.map { $0.string("type") } == ["password"])
        #expect(!credentials.text.contains("secretData") && !credentials.text.contains("salt"))
    }

    @Test("KC-A-2: sessions, consents and accounts elsewhere are listed and ended")
    func sessions() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        _ = try await admin.token(ofPerson: "ann")
        let session = try await admin.send(.get, Self.ann + "/sessions", by: token).list
            .first?.string("id")
        let id = try #require(session)
        #expect(try await admin.send(.delete, "/sessions/\(id)", by: token).status == 204)
        #expect(try await admin.send(.get, Self.ann + "/sessions", by: token).text == "[]")
        let unknown = try await admin.send(.delete, "/sessions/nope", by: token)
        #expect(unknown.status == 404 && unknown.json == ["error": "Sesssion not found"])
        let google = Self.ann + "/federated-identity/google"
        let link = #"{"userId": "1", "userName": "a"}"#
        #expect(try await admin.send(.post, google, link, by: token).status == 204)
        #expect(try await admin.send(.post, google, link, by: token).status == 409)
        let links = try await admin.send(.get, Self.ann + "/federated-identity", by: token).list
        #expect(links == [["identityProvider": "google", "userId": "1", "userName": "a"]])
        #expect(try await admin.send(.delete, google, by: token).status == 204)
        let none = try await admin.send(.delete, Self.ann + "/consents/app", by: token)
        #expect(none.status == 404)
        #expect(none.json == ["error": "Consent nor offline token not found"])
    }
}

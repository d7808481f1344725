import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Names that are taken, and how much one answer lists.
@Suite("Names and lists of people by the administration") struct AdminSearchTests {
    private static let ann = "/users/\(AdminUnderTest.annID)"

    @Test("KC-A-2: max=-1 lists everyone, and no number at all the first hundred")
    func all() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        for number in 1...105 {
            let body = #"{"username": "person-\#(number)"}"#
            #expect(try await admin.send(.post, "/users", body, by: token).status == 201)
        }
        #expect(try await admin.send(.get, "/users", by: token).list.count == 100)
        #expect(try await admin.send(.get, "/users?max=-1", by: token).list.count == 107)
        #expect(try await admin.send(.get, "/users?first=-1&max=5", by: token).list.count == 5)
    }

    @Test("KC-A-2: people are found by values of attributes, as they are written")
    func attributes() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let values = ["red", "r%d", "R\u{E9}d", #"a\"b\\c"#, "red2"]
        for (number, value) in values.enumerated() {
            let body = #"{"username": "p-\#(number)", "attributes": {"team": ["\#(value)"]}}"#
            let made = try await admin.send(.post, "/users", body, by: token)
            #expect(made.status == 201, "\(made.text)")
        }
        let queries = [
            ("team:red", ["p-0"]), ("team:r%25d", ["p-1"]), ("team:R%C3%A9d", ["p-2"]),
            ("team:a%22b%5Cc", ["p-3"]), ("other:red", []), ("team:re", []),
            ("team:red%20team:red2", []),
        ]
        for (query, names) in queries {
            let reply = try await admin.send(.get, "/users?q=\(query)", by: token)
            #expect(reply.list.compactMap { $0.string("username") } == names, "\(query)")
            let count = try await admin.send(.get, "/users/count?q=\(query)", by: token)
            #expect(count.text == "\(names.count)", "\(query)")
        }
    }

    @Test(
        "KC-A-2: people are found by a full name, in quotes, by an id and by several words",
        arguments: [
            ("Ann%20Lee", ["ann"]), ("lee%20ann", ["ann"]), ("ann%20nobody", []),
            ("%22Ann%20Lee%22", ["ann"]), ("%22ann%22", ["ann"]), ("%22an%22", []),
            ("an", ["ann", "anna"]), ("%22lee%22%20ann", ["ann"]), ("*ee", ["ann"]),
            ("%22ann%40example.com%22", ["ann"]), ("%20%20ann%20%20lee%20%20", ["ann"]),
            ("%22Ann", ["ann"]), ("%22%22", ["ann", "anna", "chief"]),
            ("id:\(AdminUnderTest.annID)%20none", ["ann"]), ("id:none", []),
        ]
    )
    func fullNames(search: String, found: [String]) async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let anna = #"{"username": "anna", "firstName": "Anna", "lastName": "Stern"}"#
        #expect(try await admin.send(.post, "/users", anna, by: token).status == 201)
        let reply = try await admin.send(.get, "/users?search=\(search)", by: token)
        let names = reply.list.compactMap { $0.string("username") }
        #expect(names == found, "\(reply.text)")
        guard !search.hasPrefix("id:") else { return }
        let count = try await admin.send(.get, "/users/count?search=\(search)", by: token)
        #expect(count.text == "\(names.count)")
    }

    @Test("attack: a search has so many words and no more")
    func words() async throws {
        let admin = try await AdminUnderTest(["view-users"])
        let token = try await admin.token("view-users")
        let many = Array(repeating: "a", count: 7).joined(separator: "%20")
        #expect(try await admin.send(.get, "/users?search=\(many)", by: token).status == 400)
        let long = Array(repeating: "a:b", count: 21).joined(separator: "%20")
        #expect(try await admin.send(.get, "/users?q=\(long)", by: token).status == 400)
    }

    @Test("KC-A-2: names and values of q may stand in quotes; clients and groups have q as well")
    func quotes() async throws {
        let admin = try await AdminUnderTest(["realm-admin"])
        let token = try await admin.token("realm-admin")
        let user = #"{"username": "eve", "attributes": {"my team": ["red: and \"blue\""]}}"#
        #expect(try await admin.send(.post, "/users", user, by: token).status == 201)
        let group = #"{"name": "north", "attributes": {"city": ["New York"]}}"#
        #expect(try await admin.send(.post, "/groups", group, by: token).status == 201)
        let app = "/clients/\(AdminUnderTest.appID)"
        let attributes = #"{"attributes": {"team": "blue sky"}}"#
        #expect(try await admin.send(.put, app, attributes, by: token).status == 204)
        let team = "%22my%20team%22:%22red:%20and%20%5C%22blue%5C%22%22"
        for (path, names) in [
            ("/users?q=\(team)", ["eve"]), ("/users?q=%22my%20team%22:red", []),
            ("/groups?q=city:%22New%20York%22", ["north"]), ("/groups?q=city:New", []),
            ("/clients?q=team:%22blue%20sky%22", ["app"]), ("/clients?q=team:sky", []),
        ] {
            let reply = try await admin.send(.get, path, by: token)
            #expect(reply.status == 200, "\(path): \(reply.text)")
            let found = reply.list.map {
                $0.string("username") ?? $0.string("clientId") ?? $0.string("name") ?? ""
            }
            #expect(found == names, "\(path)")
        }
        let count = try await admin.send(.get, "/groups/count?q=city:%22New%20York%22", by: token)
        #expect(count.json == ["count": 1])
        for path in ["/users?q=a", "/users?q=%22a:b", "/users?q=%22a%22b:c", "/groups?q=:"] {
            let status = try await admin.send(.get, path, by: token).status
            #expect(status == 400 || path == "/groups?q=:", "\(path)")
        }
    }

    @Test("KC-A-2: people are found by their accounts elsewhere")
    func accounts() async throws {
        let admin = try await AdminUnderTest(["realm-admin"])
        let token = try await admin.token("realm-admin")
        for (person, provider, id) in [
            (AdminUnderTest.annID, "google", "1"), (AdminUnderTest.chiefID, "github", "1"),
            (AdminUnderTest.chiefID, "google", "2"),
        ] {
            let path = "/users/\(person)/federated-identity/\(provider)"
            let body = #"{"userId": "\#(id)"}"#
            #expect(try await admin.send(.post, path, body, by: token).status == 204)
        }
        let queries = [
            ("idpAlias=google&idpUserId=1", ["ann"]), ("idpAlias=google&idpUserId=3", []),
            ("idpAlias=google", ["ann", "chief"]), ("idpAlias=github", ["chief"]),
            ("idpUserId=1", ["ann", "chief"]), ("idpUserId=1&username=ann", ["ann"]),
            ("idpAlias=none&q=a:b", []),
        ]
        for (query, names) in queries {
            let reply = try await admin.send(.get, "/users?\(query)", by: token)
            #expect(reply.list.compactMap { $0.string("username") } == names, "\(query)")
            let count = try await admin.send(.get, "/users/count?\(query)", by: token)
            #expect(count.text == "\(names.count)", "\(query)")
        }
    }

    @Test("attack: a search for attributes reads ten thousand people and no more")
    func bounded() async throws {
        let admin = try await AdminUnderTest(["view-users"])
        let token = try await admin.token("view-users")
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        for number in 0..<10_001 {
            var person = Person(
                id: "many-\(number)",
                realmID: realmID,
                username: "many-\(number)",
                createdAt: 0
            )
            person.attributes = ["a": ["b"]]
            _ = try await admin.server.database.people.create(
                NewPerson(person: person, password: nil)
            )
        }
        #expect(try await admin.send(.get, "/users?q=a:b&max=5", by: token).list.count == 5)
        let all = try await admin.send(.get, "/users/count?q=a:b", by: token)
        #expect(all.status == 400, "\(all.text)")
        let few = try await admin.send(.get, "/users/count?q=a:b&username=many-77", by: token)
        #expect(few.text == "111")
    }

    @Test(
        "attack: a user name that is another's e-mail address, or the other way round, is refused"
    )
    func names() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let thief = #"{"username": "ann@example.com"}"#
        let taken = try await admin.send(.post, "/users", thief, by: token)
        #expect(taken.status == 409)
        #expect(taken.json == ["errorMessage": "User exists with same username"])
        let made = try await admin.send(.post, "/users", #"{"username": "b@x.example"}"#, by: token)
        #expect(made.status == 201)
        let path = "/users/\(made.madeID)"
        let rename = try await admin.send(.put, path, thief, by: token)
        #expect(rename.status == 409)
        let address = #"{"email": "B@x.example"}"#
        #expect(try await admin.send(.put, Self.ann, address, by: token).status == 409)
        #expect(try await admin.send(.put, path, address, by: token).status == 204)
        #expect(try await admin.send(.put, path, #"{"firstName": "B"}"#, by: token).status == 204)
        let ann = try await admin.send(.get, Self.ann, by: token).json
        #expect(ann.string("email") == "ann@example.com")
    }

    @Test("KC-A-2: an account elsewhere that is someone's is 409, and no one is made")
    func linked() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let link = #"{"userId": "1", "userName": "a"}"#
        let path = "\(Self.ann)/federated-identity/google"
        #expect(try await admin.send(.post, path, link, by: token).status == 204)
        let other = #"""
            {"username": "eve",
             "federatedIdentities": [{"identityProvider": "google", "userId": "1"}]}
            """#
        let reply = try await admin.send(.post, "/users", other, by: token)
        #expect(reply.status == 409)
        #expect(reply.json == ["errorMessage": "User is already linked with provider"])
        #expect(try await admin.send(.get, "/users?username=eve", by: token).list.isEmpty)
    }
}

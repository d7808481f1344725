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

    @Test("KC-A-2: people are found by their accounts elsewhere; q is for people only")
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
        for path in ["/clients?q=a:b", "/groups?q=a:b", "/groups/count?q=a:b"] {
            #expect(try await admin.send(.get, path, by: token).status == 400, "\(path)")
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

    @Test("KC-A-2: an account elsewhere that is someone's is 409, and nobody is made")
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

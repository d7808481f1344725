import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Requests that overtake each other.
@Suite("Races of the administration") struct AdminRaceTests {
    @Test("attack: a password grant that a reset overtakes gives nothing")
    func reset() async throws {
        let admin = try await AdminUnderTest(hasMaster: true)
        let database = admin.server.database
        try await admin.makeMaster()
        let hash = try await TestRealm.hash(of: AdminUnderTest.password)
        let other = try await TestRealm.hash(of: "another one that is right")
        for round in 0..<20 {
            async let answer = admin.rootGrant()
            for _ in 0..<(round % 5) { await Task.yield() }
            // Times say nothing: it is the same second.
            let now = admin.server.clock.seconds
            let change = try await database.people.setPassword(other, of: "root", at: now)
            #expect(change == .changed)
            let reply = try await answer
            if let token = reply.json.string("access_token") {
                let status = try await admin.send(.get, "/users", by: token).status
                #expect(status == 401, "round \(round)")
            } else {
                #expect(reply.error == "invalid_grant", "round \(round)")
            }
            admin.server.clock.advance(by: 3600)
            let next = admin.server.clock.seconds
            #expect(try await database.people.setPassword(hash, of: "root", at: next) == .changed)
        }
    }

    @Test("attack: manage-users sets a password while its person gets more rights")
    func stronger() async throws {
        let admin = try await AdminUnderTest(["manage-users", "realm-admin"])
        let people = admin.server.database.people
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let strong = RoleName(clientID: "realm-management", name: "realm-admin")
        let helper = try await admin.token("manage-users")
        func kept() async throws -> [String?] {
            let ann = try await people.credentials(id: AdminUnderTest.annID, realmID: realmID)
            return [ann?.password?.encoded, ann?.person.givenName]
        }
        let ann = "/users/\(AdminUnderTest.annID)"
        let credential = #"{"type": "password", "value": "Another-123 one"}"#
        for round in 0..<20 {
            let fields = #"{"firstName": "A\#(round)", "credentials": [\#(credential)]}"#
            let isReset = round.isMultiple(of: 2)
            let (path, body) = isReset ? (ann + "/reset-password", credential) : (ann, fields)
            async let answer = admin.send(.put, path, body, by: helper)
            for _ in 0..<(round % 10) { await Task.yield() }
            let given = try await people.assign(
                strong,
                to: AdminUnderTest.annID,
                realmID: realmID
            )
            #expect(given == .changed)
            let before = try await kept()
            let status = try await answer.status
            #expect([204, 403].contains(status))
            // Of a change that was half done by then, the rest is not done.
            #expect(try await kept() == before, "round \(round): \(status)")
            let taken = try await people.remove(
                strong,
                from: AdminUnderTest.annID,
                realmID: realmID
            )
            #expect(taken == .changed)
        }
    }

    @Test("KC-A-2: of mappers that are added to one scope or client at once, none is lost")
    func mappers() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let scopes = try await admin.send(.get, "/client-scopes", by: root).list
        let scope = try #require(scopes.first { $0.string("name") == "phone" }?.string("id"))
        for owner in ["/client-scopes/\(scope)", "/clients/\(AdminUnderTest.appID)"] {
            let path = "\(owner)/protocol-mappers/models"
            let before = try await admin.send(.get, path, by: root).list.count
            @Sendable func add(_ name: String) async throws -> Int {
                let mapper = """
                    {"name": "\(name)", "protocol": "openid-connect",
                     "protocolMapper": "oidc-audience-mapper",
                     "config": {"included.custom.audience": "a", "access.token.claim": "true"}}
                    """
                return try await admin.send(.post, path, mapper, by: root).status
            }
            for round in 0..<10 {
                async let one = add("one\(round)")
                async let two = add("two\(round)")
                let statuses = try await [one, two]
                #expect(statuses == [201, 201], "round \(round)")
            }
            #expect(try await admin.send(.get, path, by: root).list.count == before + 20)
        }
    }

    @Test("KC-A-2: a group that is renamed and moved at once loses neither; none lies in itself")
    func groups() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        func make(_ name: String) async throws -> String {
            try await admin.send(.post, "/groups", #"{"name": "\#(name)"}"#, by: root).madeID
        }
        for round in 0..<20 {
            let one = try await make("one\(round)")
            let two = try await make("two\(round)")
            async let renamed = admin.send(
                .put,
                "/groups/\(one)",
                #"{"name": "new\#(round)"}"#,
                by: root
            )
            async let moved = admin.send(
                .post,
                "/groups/\(two)/children",
                #"{"id": "\#(one)", "name": "one\#(round)"}"#,
                by: root
            )
            let (rename, move) = try await (renamed, moved)
            let group = try await admin.send(.get, "/groups/\(one)", by: root).json
            #expect((rename.status == 204) == (group.string("name") == "new\(round)"))
            #expect((move.status == 204) == (group.string("parentId") == two))
            for reply in [rename, move] { #expect([204, 409].contains(reply.status)) }
            #expect(rename.status == 204 || move.status == 204)
            let three = try await make("three\(round)")
            async let there = admin.send(
                .post,
                "/groups/\(two)/children",
                #"{"id": "\#(three)", "name": "x"}"#,
                by: root
            )
            async let back = admin.send(
                .post,
                "/groups/\(three)/children",
                #"{"id": "\#(two)", "name": "x"}"#,
                by: root
            )
            let statuses = try await [there.status, back.status].sorted()
            #expect(statuses.first == 204 && statuses.last ?? 0 >= 400, "\(statuses)")
            for id in [two, three] {
                #expect(try await admin.send(.get, "/groups/\(id)", by: root).status == 200)
            }
        }
    }
}

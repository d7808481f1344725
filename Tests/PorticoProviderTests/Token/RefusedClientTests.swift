import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Why a client was refused (WEB-LOG-3): said to the operator, and to no one else")
struct RefusedClientTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let reason: String
        /// As the log says it.
        let client: String
        let form: [(String, String)]
        var authorization: String?

        var testDescription: String { "\(reason) \(client)" }
    }

    private static func basic(_ client: String, _ secret: String, _ reason: String) -> Case {
        Case(
            reason: reason,
            client: ["nobody", ""].contains(client) ? "-" : client,
            form: [],
            authorization: ProviderUnderTest.basic(client, secret)
        )
    }

    private static func assertion(
        _ reason: String,
        _ changes: JSONObject = [:],
        client: String = "jwt1",
        _ extra: [(String, String)] = [],
        key: SigningKey = TestRealm.clientKey
    ) throws -> Case {
        let now: Int64 = 1_800_000_000
        var claims: JSONObject = [
            "iss": "jwt1", "sub": "jwt1", "aud": .string(TestRealm.issuer),
            "exp": .integer(now + 60), "iat": .integer(now), "jti": .string(reason),
        ]
        for (name, value) in changes { claims[name] = value == .null ? nil : value }
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        let signed = try key.sign(claims: claims, type: .jwt)
        return Case(
            reason: reason,
            client: client,
            form: [("client_assertion", signed), ("client_assertion_type", type)] + extra
        )
    }

    static func cases() throws -> [Case] {
        let now: Int64 = 1_800_000_000
        let stranger = try SigningKey(generating: .es256, keyID: "jwt1-key", random: .system)
        let jwt = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        let unread = [("client_assertion", "x"), ("client_id", "jwt1")]
        return [
            Case(reason: "unreadable", client: "-", form: [], authorization: "Bearer x"),
            Case(
                reason: "unreadable",
                client: "web1",
                form: [("client_id", "web1")],
                authorization: "Basic !"
            ),
            Case(
                reason: "unreadable",
                client: "jwt1",
                form: unread + [("client_assertion_type", "saml")]
            ),
            Case(reason: "no_client_id", client: "-", form: []),
            Case(reason: "unknown_client", client: "-", form: [("client_id", "nobody")]),
            basic("nobody", "x", "unknown_client"),
            basic("machine", TestRealm.machineSecret, "disabled"),
            Case(reason: "method", client: "web1", form: [("client_id", "web1")]),
            basic("jwt1", "x", "method"),
            basic("native1", "x", "method"),
            basic("web1", "wrong", "secret"),
            Case(
                reason: "assertion",
                client: "-",
                form: [("client_assertion", "a.b.c"), ("client_assertion_type", jwt)]
            ),
            try assertion("unknown_client", ["sub": "nobody"], client: "-"),
            try assertion("disabled", ["sub": "machine"], client: "machine"),
            try assertion("method", ["sub": "web1"], client: "web1"),
            try assertion("subject", [:], [("client_id", "web1")]),
            try assertion("signature", key: stranger),
            try assertion("issuer", ["iss": "web1"]),
            try assertion("audience", ["aud": "https://evil"]),
            try assertion("expired", ["exp": .integer(now - 61)]),
            try assertion("expiry", ["exp": .null]),
            try assertion("expiry", ["exp": .integer(now + 86_400)]),
            try assertion("not_yet_valid", ["nbf": .integer(now + 600)]),
            try assertion("too_old", ["iat": .integer(now - 86_400)]),
            try assertion("jti", ["jti": .null]),
        ]
    }

    @Test("Every invalid_client has its reason and client in the log and among the events")
    func reasons() async throws {
        let database = try TestDatabase.inMemory()
        let server = try await ProviderUnderTest(database: database) { realm in
            realm.clients[client: "machine"].isEnabled = false
        }
        var answers: Set<[String]> = []
        var seen: Set<String> = []
        for (number, one) in try Self.cases().enumerated() {
            let before = server.log.count
            var headers: HTTPFields = [:]
            headers[.authorization] = one.authorization
            let reply = try await server.post(
                .endpoint("token"),
                TestFlow.own + one.form,
                headers: headers,
                from: "192.0.2.\(number + 1)"
            )
            #expect(reply.status == 401, "\(one.reason)")
            #expect(reply.error == "invalid_client")
            #expect(!reply.text.contains(one.reason + "\""))
            if !["unreadable", "no_client_id"].contains(one.reason) {
                answers.insert([reply.text])
            }
            seen.insert(one.reason)
            let log = server.log.dropFirst(before).split(separator: "\n")
            let line = try #require(log.first { $0.contains("event=client.refused") })
            #expect(
                line.contains("reason=\(one.reason) ") || line.hasSuffix("reason=\(one.reason)")
            )
            #expect(
                line.contains("client=\(one.client) ") || line.hasSuffix("client=\(one.client)")
            )
            #expect(log.filter { $0.contains("client.refused") }.count == 1)
            #expect(!line.contains("nobody"), "what nobody registered is not repeated")
        }
        #expect(answers.count == 1, "the same words for each")
        let replay = try Self.assertion("replayed")
        for status in [200, 401] {
            #expect(try await server.token(TestFlow.own + replay.form).status == status)
        }
        seen.insert("replayed")
        #expect(seen == Set(UnprovenClient.Reason.allCases.map(\.rawValue)))
        #expect(try await database.events.latest().isEmpty, "no request writes")
        try await server.provider.trail.flush(into: database.events)
        let events = Array(try await database.events.latest().reversed())
        #expect(events.allSatisfy { $0.kind == .clientRefused && $0.realm == "test" })
        let known = Set(events.map { [$0.clientID ?? "-", $0.reason ?? ""] })
        #expect(
            known == Set(try Self.cases().map { [$0.client, $0.reason] } + [["jwt1", "replayed"]])
        )
        #expect(known.count == events.count)
        #expect(events.first?.address == "192.0.2.1")
    }

    @Test("A client and a reason are one event in ten minutes; unregistered clients one in all")
    func flood() async throws {
        let server = try await ProviderUnderTest()
        let kept = server.database.events
        func refuse(_ count: Int) async throws -> Int {
            for number in 0..<count {
                _ = try await server.token(TestFlow.own, basic: ("web1", "wrong \(number)"))
                _ = try await server.token(TestFlow.own, basic: ("made-up-\(number)", "x"))
            }
            try await server.provider.trail.flush(into: kept)
            return try await kept.latest().count
        }
        #expect(try await refuse(50) == 2)
        #expect(try await refuse(50) == 2)
        server.clock.advance(by: 601)
        #expect(try await refuse(1) == 4)
        #expect(
            server.log.split(separator: "\n").filter { $0.contains("reason=secret") }.count == 101
        )
    }

    @Test("A realm makes 300 events of refusals in an hour at most, and takes none from another")
    func realms() async throws {
        let server = try await ProviderUnderTest { realm in
            for number in 0..<320 {
                realm.clients.append(
                    Client(
                        id: "flood-\(number)",
                        realmID: realm.realm.id,
                        clientID: "flood-\(number)",
                        name: "Flood",
                        type: .confidential,
                        authentication: .clientSecretBasic
                    )
                )
            }
        }
        for number in 0..<320 {
            _ = try await server.post(
                .endpoint("token"),
                TestFlow.own,
                headers: .basic("flood-\(number)", "x"),
                from: "192.0.2.\(number % 250 + 1)"
            )
            if number % 100 == 0 {
                try await server.provider.trail.flush(into: server.database.events)
            }
        }
        try await server.provider.trail.flush(into: server.database.events)
        #expect(try await server.database.events.latest().count == 300)
    }

    @Test("Of what waits to be written, so much is kept as has a bound")
    func bounded() async throws {
        let server = try await ProviderUnderTest()
        let realm = try #require(server.provider.realms.realm(named: "test")).realm
        for number in 0...EventTrail.most {
            var event = Event(.swapped, at: 1, realmID: realm.id)
            event.clientID = "\(number)"
            server.provider.trail.note(event, in: realm, at: server.clock.now)
        }
        try await server.provider.trail.flush(into: server.database.events)
        #expect(try await server.database.events.latest(limit: .max).count == EventTrail.most)
    }

    @Test("What could not be written waits, and so much of it as has a bound")
    func waiting() async throws {
        struct Full: Error {}
        let full = try TestDatabase.inMemory()
        full.refuseWrites(Full())
        let server = try await ProviderUnderTest()
        let trail = server.provider.trail
        _ = try await server.token(TestFlow.own, basic: ("web1", "x"))
        await #expect(throws: Full.self) { try await trail.flush(into: full.events) }
        try await trail.flush(into: server.database.events)
        try await trail.flush(into: server.database.events)
        #expect(try await server.database.events.latest().count == 1)
    }

    @Test("A refusal within a request is noted too: a public client may not introspect")
    func later() async throws {
        let server = try await ProviderUnderTest()
        let form = [("token", "x"), ("client_id", "native1")]
        let path = String.endpoint("token/introspect")
        #expect(try await server.post(path, form).error == "invalid_client")
        #expect(server.log.contains("client=native1 "))
        #expect(server.log.contains("reason=method"))
    }
}

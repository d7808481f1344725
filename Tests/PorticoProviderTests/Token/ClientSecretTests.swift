import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A client secret is a secret, however it is sent (RFC 6749 §2.3.1)")
struct ClientSecretTests {
    static let endpoints = ["token", "token/introspect", "revoke", "ext/par/request"]

    /// A request that is refused for its client only.
    private static func form(_ endpoint: String, _ client: String) -> [(String, String)] {
        endpoint == "ext/par/request"
            ? TestFlow.request(client, [("client_id", "")])
            : [("grant_type", "refresh_token"), ("refresh_token", "x"), ("token", "x")]
    }

    private func byPost(
        _ server: ProviderUnderTest,
        _ endpoint: String,
        _ client: String,
        _ secret: String
    ) async throws -> Reply {
        let credentials = [("client_id", client), ("client_secret", secret)]
        let form = Self.form(endpoint, client) + credentials
        return try await server.post(.endpoint(endpoint), form)
    }

    private func byHeader(
        _ server: ProviderUnderTest,
        _ endpoint: String,
        _ client: String,
        _ secret: String
    ) async throws -> Reply {
        try await server.post(
            .endpoint(endpoint),
            Self.form(endpoint, client),
            headers: .basic(client, secret)
        )
    }

    @Test(
        "RFC 6749 §2.3.1: registered for one way to send its secret, a client may use the other",
        arguments: endpoints
    )
    func eitherWay(endpoint: String) async throws {
        let server = try await ProviderUnderTest()
        for (client, secret) in [TestRealm.web1, ("other1", TestRealm.otherSecret)] {
            let replies = [
                try await byPost(server, endpoint, client, secret),
                try await byHeader(server, endpoint, client, secret),
            ]
            for reply in replies {
                #expect(reply.error != "invalid_client", "\(client)")
                if endpoint == "token" { #expect(reply.error == "invalid_grant") }
            }
            for wrong in [secret + "x", "x"] {
                let replies = [
                    try await byPost(server, endpoint, client, wrong),
                    try await byHeader(server, endpoint, client, wrong),
                ]
                #expect(replies.allSatisfy { $0.status == 401 && $0.error == "invalid_client" })
            }
        }
        #expect(!server.log.contains("reason=method"))
    }

    @Test("A code is redeemed by Basic and refreshed by the body, as libraries do it")
    func redeemAndRefresh() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens("alice", "web1")
        let secret = ("client_secret", TestRealm.secret)
        #expect(try await server.refresh(tokens.refreshToken, "web1", [secret]).status == 200)
    }

    @Test(
        "RFC 7591 §2: a client that is held to its method uses no other",
        arguments: endpoints
    )
    func strict(endpoint: String) async throws {
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices {
                realm.clients[index].authenticatesStrictly = true
            }
        }
        let refused = [
            try await byPost(server, endpoint, "web1", TestRealm.secret),
            try await byHeader(server, endpoint, "other1", TestRealm.otherSecret),
        ]
        #expect(refused.allSatisfy { $0.status == 401 && $0.error == "invalid_client" })
        let taken = [
            try await byHeader(server, endpoint, "web1", TestRealm.secret),
            try await byPost(server, endpoint, "other1", TestRealm.otherSecret),
        ]
        #expect(taken.allSatisfy { $0.error != "invalid_client" })
        let reasons = server.log.split(separator: "\n").filter { $0.contains("reason=method") }
        #expect(reasons.count == 2)
        #expect(reasons.first?.contains("client=web1") == true)
    }

    @Test("attack C14: a secret in header and body at once is refused, the right one twice, too")
    func both() async throws {
        let server = try await ProviderUnderTest()
        for (client, secret) in [
            TestRealm.web1, ("other1", TestRealm.otherSecret), ("native1", "x"),
        ] {
            for endpoint in Self.endpoints {
                let form = Self.form(endpoint, client)
                let reply = try await server.post(
                    .endpoint(endpoint),
                    form + [("client_id", client), ("client_secret", secret)],
                    headers: .basic(client, secret)
                )
                #expect(reply.status == 400 && reply.error == "invalid_request")
            }
        }
    }

    @Test("RFC 6749 §2.3.1: Basic with an empty password is a public client's name, and no more")
    func emptyPassword() async throws {
        let server = try await ProviderUnderTest()
        let code = try await server.code()
        let form = TestFlow.redemption(code, "native1", [("client_id", "")])
        let tokens = try await server.token(form, basic: ("native1", ""))
        #expect(tokens.status == 200)
        // A secret proves nothing for it, by whichever way.
        for secret in ["x", " ", TestRealm.secret] {
            let replies = [
                try await byHeader(server, "token", "native1", secret),
                try await byPost(server, "token", "native1", secret),
            ]
            #expect(replies.allSatisfy { $0.status == 401 && $0.error == "invalid_client" })
        }
        // It has proven nothing, so it may not ask about tokens; the answer names the header's scheme.
        let asked = try await byHeader(server, "token/introspect", "native1", "")
        #expect(asked.status == 401)
        #expect(asked.headers[.wwwAuthenticate]?.hasPrefix("Basic realm=") == true)
        // No one else gets in with an empty one.
        for client in ["web1", "other1", "machine", "jwt1", "nobody"] {
            let reply = try await byHeader(server, "token", client, "")
            #expect(reply.status == 401 && reply.error == "invalid_client", "\(client)")
        }
    }

    @Test("A public client that sends an empty password is not held back by others' mistakes")
    func emptyPasswordWhileGuessed() async throws {
        let server = try await ProviderUnderTest()
        for number in 1...40 { _ = try await byHeader(server, "token", "native1", "x\(number)") }
        #expect(try await byHeader(server, "token", "native1", "").error == "invalid_grant")
    }

    @Test("OpenID Connect Core §9: no secret proves a client that has a key")
    func keys() async throws {
        let server = try await ProviderUnderTest { realm in
            // Left over from another method.
            realm.clients[client: "jwt1"].secret = .hashed(Hash256(of: TestRealm.secret).bytes)
        }
        for endpoint in Self.endpoints {
            let replies = [
                try await byPost(server, endpoint, "jwt1", TestRealm.secret),
                try await byHeader(server, endpoint, "jwt1", TestRealm.secret),
            ]
            #expect(replies.allSatisfy { $0.status == 401 && $0.error == "invalid_client" })
        }
    }

    private static let grant = TestFlow.own

    private func attempt(
        _ server: ProviderUnderTest,
        _ secret: String,
        of client: String = "machine",
        from address: String = "198.51.100.7"
    ) async throws -> Reply {
        try await server.post(
            .endpoint("token"),
            Self.grant,
            headers: .basic(client, secret),
            from: address
        )
    }

    private func guess(_ server: ProviderUnderTest, of client: String = "machine") async throws
        -> [Reply]
    {
        var replies: [Reply] = []
        for number in 1...25 {
            replies.append(try await attempt(server, "wrong \(number)", of: client))
        }
        return replies
    }

    @Test("attack C16: wrong secrets are slowed down, from one address only")
    func guessing() async throws {
        let server = try await ProviderUnderTest()
        let replies = try await guess(server)
        #expect(replies.prefix(20).allSatisfy { $0.status == 401 })
        #expect(replies.dropFirst(20).allSatisfy { $0.status == 429 })
        #expect(replies.last?.headers[.retryAfter] != nil)
        #expect(try await attempt(server, "wrong", from: "203.0.113.9").status == 401)
        #expect(try await attempt(server, "wrong", of: "web1").status == 401)
    }

    @Test("A right secret that no one can guess is never held back by wrong ones")
    func rightProof() async throws {
        let server = try await ProviderUnderTest()
        _ = try await guess(server)
        #expect(try await attempt(server, TestRealm.machineSecret).status == 200)
        // It clears nothing.
        #expect(try await attempt(server, "wrong").status == 429)
    }

    @Test("attack C16: a right secret that is short enough to be guessed waits like a wrong one")
    func shortSecret() async throws {
        let server = try await ProviderUnderTest { realm in
            let secrets = ClientSecretSeal(ring: TestRealm.ring)
            realm.clients[client: "machine"].secret = secrets.keep(
                SecretText("15 bytes, short"),
                of: realm.clients[client: "machine"].id,
                random: .system
            )
        }
        #expect(try await attempt(server, "15 bytes, short").status == 200)
        _ = try await guess(server)
        #expect(try await attempt(server, "15 bytes, short").status == 429)
        #expect(try await attempt(server, "15 bytes, short", from: "203.0.113.9").status == 200)
        server.clock.advance(by: 3600)
        #expect(try await attempt(server, "15 bytes, short").status == 200)
    }

    @Test("A public client has nothing to guess, and no one locks its apps out of refresh")
    func publicClient() async throws {
        let server = try await ProviderUnderTest()
        let own = try await server.tokens("alice", "native1")
        let token = try own.refreshToken
        for number in 1...40 {
            let form = [
                ("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "native1"),
                ("client_secret", "x\(number)"),
            ]
            let path = String.endpoint("token")
            _ = try await server.post(path, form)
        }
        let refreshed = try await server.token([
            ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "native1"),
        ])
        #expect(refreshed.status == 200)
    }

    @Test("Clients that no one has registered are counted by the address alone")
    func madeUp() async throws {
        let server = try await ProviderUnderTest()
        var statuses: [Int] = []
        for number in 0..<25 {
            statuses.append(try await attempt(server, "x", of: "made-up-\(number)").status)
        }
        #expect(statuses.prefix(20).allSatisfy { $0 == 401 })
        #expect(statuses.dropFirst(20).allSatisfy { $0 == 429 })
        #expect(try await attempt(server, TestRealm.machineSecret).status == 200)
        #expect(try await attempt(server, "wrong").status == 401)
    }
}

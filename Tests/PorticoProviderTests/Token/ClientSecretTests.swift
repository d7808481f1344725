import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
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
        let refresh = try tokens.refreshToken
        let secret = ("client_secret", TestRealm.secret)
        #expect(try await server.refresh(refresh, "web1", [secret]).status == 200)
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
        let reply = try await byHeader(server, "token", "native1", "")
        #expect(reply.error == "invalid_grant")
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
}

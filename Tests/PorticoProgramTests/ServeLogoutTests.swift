import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("serve: who is told of logouts, and how") struct ServeLogoutTests {
    private static let secret = "a secret of the shop, long enough"

    /// Ann signs in to a confidential client whose back-channel logout URI is on this machine, and
    /// is disabled then: the client is to be told.
    private func endSession(at server: EarnestServer, _ receiver: LogoutReceiver) async throws {
        let callback = try #require(receiver.uri("/cb")).text
        try await server.makeRealm(
            client: [
                "--template", "web", "--redirect-uri", callback, "--backchannel-logout-uri",
                try #require(receiver.uri()).text, "--secret-file", "-",
            ],
            secret: Self.secret
        )
        let person = WebPerson()
        _ = try await person.signIn(
            at: server.authorization(to: callback),
            "ann",
            EarnestServer.password
        )
        try await person.close()
        let arrived = try #require(receiver.requests.last?.firstMatch(of: /[?&]code=([^& ]+)/))
        let form = TestFlow.redemption(
            String(arrived.1),
            "shop",
            [("client_id", ""), ("redirect_uri", callback)]
        )
        let basic = Data(
            "shop:\(Self.secret.replacing(" ", with: "+").replacing(",", with: "%2C"))".utf8
        )
        .base64EncodedString()
        let tokens = try await server.request(
            "POST",
            "/realms/acme/protocol/openid-connect/token",
            ["Authorization: Basic \(basic)"],
            body: EarnestServer.form(form)
        )
        #expect(tokens.status == 200, "\(tokens.body)")
        try server.command(["user", "update", "ann", "--disable-user"])
    }

    @Test("WEB-SSRF-1: a private address is not asked unless the operator named it")
    func guarded() async throws {
        let receiver = try LogoutReceiver()
        let server = try await EarnestServer()
        try await endSession(at: server, receiver)
        try await server.wait { server.running.stderr.contains("event=logout.failed") }
        #expect(receiver.tokens.isEmpty)
    }

    @Test("a host that the operator named is told within moments, at its own port only")
    func named() async throws {
        let receiver = try LogoutReceiver()
        let host = try #require(receiver.uri()).authority
        let server = try await EarnestServer(["--backchannel-allow", host])
        try await endSession(at: server, receiver)
        try await server.wait { !receiver.tokens.isEmpty }
        let token = try JWT(parsing: try #require(receiver.tokens.first)).uncheckedClaims()
        #expect(token.string("iss") == "\(server.url)/realms/acme")
        #expect(token.string("aud") == "shop")
    }
}

@Suite("serve: what portico events shows of a realm's clients") struct ServeEventsTests {
    @Test(
        "A client that is refused is shown with realm, name and reason, also by a server that stops"
    )
    func refused() async throws {
        let server = try await EarnestServer()
        try await server.makeRealm(
            client: [
                "--template", "web", "--redirect-uri", "https://shop.example.com/cb",
                "--secret-file", "-",
            ],
            secret: "a secret of the shop, long enough"
        )
        func ask(_ client: String) async throws {
            let form = [
                ("grant_type", "client_credentials"), ("client_id", client),
                ("client_secret", "wrong"),
            ]
            let reply = try await server.request(
                "POST",
                "/realms/acme/protocol/openid-connect/token",
                body: EarnestServer.form(form)
            )
            #expect(reply.status == 401)
            #expect(!reply.body.contains("secret"))
        }
        try await ask("shop")
        try await ask("shop")
        try await ask("nobody-of-that-name")
        try await server.stop()
        let lines = try server.command("events --kind client.refused --jsonl")
            .split(separator: "\n").map { try JSONObject(parsing: Array($0.utf8)) }
        #expect(lines.map { $0.string("client") } == ["shop", nil])
        #expect(lines.map { $0.string("reason") } == ["secret", "unknown_client"])
        #expect(lines.allSatisfy { $0.string("realm") == "acme" && $0.string("address") != nil })
        let shown = try server.command(["events"])
        #expect(shown.contains("client.refused"))
        #expect(shown.contains("acme  shop  secret  127.0.0.1"))
        #expect(!shown.contains("nobody"))
    }
}

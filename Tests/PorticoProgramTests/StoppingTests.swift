import Foundation
import HTTPTypes
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A server that stops") struct StoppingTests {
    @Test("it is not ready from the moment it was told to, while it finishes what is under way")
    func notReady() async throws {
        try await EarnestServer.run { server in
            let port = server.port
            /// A request of which the server has the head, and waits for the body.
            func begun(_ path: String) async throws -> Int32 {
                let connection = try #require(RawSocket.connect(port: port))
                let head = "GET \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
                let answer = await RawExchange.run {
                    RawSocket.send(connection, Array((head + "Expect: 100-continue\r\n\r\n").utf8))
                    return RawSocket.receive(connection)
                }
                #expect(answer?.starts(with: Array("HTTP/1.1 100 ".utf8)) == true)
                return connection
            }
            let (ready, health) = (try await begun("/readyz"), try await begun("/healthz"))
            #expect(try await server.request("GET", "/readyz").status == 200)
            kill(server.running.process.id, SIGTERM)
            // Where no one can connect any more it has been told.
            try await server.wait {
                guard let more = RawSocket.connect(port: port) else { return true }
                RawSocket.close(more)
                return false
            }
            func answer(_ connection: Int32) async -> RawExchange? {
                await RawExchange.run {
                    RawSocket.send(connection, Array("x".utf8))
                    defer { RawSocket.close(connection) }
                    return RawExchange(from: connection)
                }
            }
            let notReady = await answer(ready)
            #expect(notReady?.status == 503)
            #expect(notReady?.body == "not ready\n")
            #expect(await answer(health)?.status == 200)
            #expect(try await server.running.ended() == 0)
        }
    }

    @Test("what was last seen of a session is written before it ends")
    func lastSeen() async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(in: portico)
        let person = WebPerson()
        let account = "\(server.url)/realms/demo/account/apps"
        _ = try await person.signIn(at: account, "ann", server.passwords["ann"] ?? "")
        let backend = "\(server.url)/v1/auth/session"
        let standIns = try #require(server.running.stdout.firstMatch(of: /Stand-ins +(\S+)/))
        let chooser = try await person.get("\(server.url)/v1/auth/google")
        _ = try await person.submit(chooser, from: String(standIns.1), [("person", "ben")])
        let file = portico.home.appending(path: "demo/portico.sqlite").path
        let database = try SQLiteDatabase(file: file)
        // As if they had signed in ten minutes ago.
        let before = Int64(Date().timeIntervalSince1970) - 600
        try await database.write { transaction in
            for table: SQLText in [
                "UPDATE browser_sessions SET last_seen_at = $1",
                "UPDATE account_sessions SET last_seen_at = $1",
            ] {
                try transaction.run(table, [.int64(before)])
            }
        }
        #expect(try await person.get(account).status == 200)
        #expect(try await person.get(backend, with: [.accept: "application/json"]).status == 200)
        try await server.stop()
        let seen = try database.read { reader in
            try reader.rows(
                """
                SELECT last_seen_at FROM browser_sessions
                UNION ALL SELECT last_seen_at FROM account_sessions
                """,
                []
            ) { try $0.int64(0) }
        }
        #expect(seen.count == 2)
        #expect(seen.allSatisfy { $0 >= before + 600 })
        try await database.close()
        try await person.close()
    }

    /// A realm from Keycloak that keeps events, and swaps the refresh tokens of before.
    private static let realm = """
        {"realm": "acme", "enabled": true, "eventsEnabled": true, "offlineSessionIdleTimeout": 2592000,
         "clients": [{"clientId": "shop", "publicClient": true, "redirectUris": ["com.example.shop:/cb"]},
            {"clientId": "till", "secret": "a secret of the till, long enough",
             "serviceAccountsEnabled": true, "redirectUris": ["https://till.example.com/cb"]}],
         "components": {"org.keycloak.keys.KeyProvider": [{"name": "hmac", "providerId": "hmac-generated",
            "config": {"kid": ["k1"], "algorithm": ["HS512"],
              "secret": ["\(String(repeating: "A", count: 86))"]}}]}}
        """

    @Test("the events of its last seconds are written before it ends")
    func counted() async throws {
        let portico = try PorticoProcess()
        try portico.write(Self.realm, to: "acme.json")
        let server = try await EarnestServer(in: portico)
        try server.command(["realm", "import", "acme.json", "--public-url", server.url])
        try server.command("realm update acme --swap-tokens --accept-unlisted-offline-sessions")
        try server.command(["realm", "create", "last", "--public-url", server.url])
        let last = "/realms/last/.well-known/openid-configuration"
        try await server.wait { try await server.request("GET", last).status == 200 }
        func token(_ form: [(String, String)]) async throws -> Int {
            try await server.request(
                "POST",
                "/realms/acme/protocol/openid-connect/token",
                body: EarnestServer.form(form)
            ).status
        }
        // A wrong secret, and an old token whose key signs something else.
        let wrong = [
            ("grant_type", "client_credentials"), ("client_id", "till"), ("client_secret", "wrong"),
        ]
        #expect(try await token(wrong) == 401)
        let header = #"{"alg":"HS512","typ":"JWT","kid":"k1"}"#
        let claims = """
            {"typ":"Offline","iss":"\(server.url)/realms/acme","aud":"\(server.url)/realms/acme",
            "azp":"shop","sub":"s","jti":"j","sid":"s","iat":1700000000,"scope":"openid"}
            """
        let parts = [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 7, count: 64)]
        let old = parts.map { Base64URL.encode($0) }.joined(separator: ".")
        let swap = [("grant_type", "refresh_token"), ("client_id", "shop"), ("refresh_token", old)]
        #expect(try await token(swap) == 400)
        try await server.stop()
        let swaps = try server.command(["events", "--kind", "token_swap", "--count", "--jsonl"])
        #expect(swaps.contains(#""client":"shop","reason":"signature","count":1"#), "\(swaps)")
        let refused = try server.command(["events", "--realm", "acme", "--client", "till"])
        #expect(refused.contains("client.refused"), "\(refused)")
    }
}

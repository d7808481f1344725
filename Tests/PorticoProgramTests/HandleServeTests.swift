import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Signing in by handle, served") struct HandleServeTests {
    @Test(
        "ATP-LOC-4: a running server takes the provider up; on this machine it is a client for development"
    )
    func serves() async throws {
        let server = try await DemoServer()
        let port = server.port
        // The demo's own is of its own host.
        try server.portico.done("provider remove atproto --confirm atproto --data-directory demo")
        try await waitUntil("it is gone") {
            await RawExchange.get("/mobile-auth", port: port)?.status == 404
        }
        let made = try server.portico.run("provider add atproto --data-directory demo")
        #expect(made.status == 0, "\(made.stderr)")
        var found = ""
        try await waitUntil("it is there") {
            let reply = await RawExchange.get("/oauth-client-metadata.json", port: port)
            found = reply?.body ?? ""
            return reply?.status == 200
        }
        let document = try JSONObject(parsing: Array(found.utf8))
        let redirect = "http://127.0.0.1:\(port)/oauth/callback"
        #expect(document.strings("redirect_uris") == [redirect])
        #expect(document.string("client_id")?.hasPrefix("http://localhost?") == true)
        #expect(document.string("token_endpoint_auth_method") == "none")
        #expect(await RawExchange.get("/mobile-auth", port: port)?.status == 200)
        #expect(await RawExchange.get("/login?handle=", port: port)?.status == 400)
        // The cookie's passwords are made with it.
        let file = server.portico.home.appending(path: "demo/seal-passwords").path
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    /// The revisions of sessions of which no refresh is under way.
    private static func revisions(_ database: SQLiteDatabase) throws -> [Int64] {
        try database.read { reader in
            try reader.rows("SELECT revision FROM handle_sessions WHERE sent_at IS NULL", []) {
                try $0.int64(0)
            }
        }
    }

    /// Sends a request, and is gone: with a reset, since whoever only ends their side may still read.
    private static func ask(_ head: String, port: UInt16) throws -> @Sendable () -> Void {
        let connection = try #require(RawSocket.connect(port: port))
        RawSocket.send(connection, Array(head.utf8))
        return {
            var reset = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<linger>.size)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &reset, size)
            RawSocket.close(connection)
        }
    }

    @Test("decision 0057: a server that is told to stop stores what a host answers to a refresh")
    func stops() async throws {
        try await HandleNetwork.run { network in
            let (served, tokens) = (network.served, network.tokens)
            let person = try await network.signIn()
            let sid = try #require(person.cookie("sid", of: HandleNetwork.backend))
            let file = network.portico.home
                .appending(path: ".local/share/portico/server/portico.sqlite")
            let database = try SQLiteDatabase(file: file.path)
            // As if its access token were over.
            _ = try await database.write { transaction in
                try transaction.run(
                    "UPDATE handle_sessions SET access_expires_at = $1",
                    [.int64(1)]
                )
            }
            let before = try Self.revisions(database)
            #expect(before.count == 1)
            tokens.areHeld.withLock { $0 = true }
            let leave = try Self.ask(
                "GET /xrpc/com.atproto.server.getSession HTTP/1.1\r\n"
                    + "Host: \(HandleNetwork.backend)\r\nX-Portico: 1\r\nCookie: sid=\(sid)\r\n\r\n",
                port: served.port
            )
            try await waitUntil("the host has answered", within: 20) {
                tokens.waiting.withLock { $0 } > 0
            }
            leave()
            served.running.process.terminate()
            // It would end at once if it did not wait for what the host answers.
            try await Task.sleep(for: .seconds(2))
            tokens.areHeld.withLock { $0 = false }
            let status = try await served.running.ended()
            #expect(status == 0)
            let after = try Self.revisions(database)
            #expect(after.count == 1 && after != before)
            try await database.close()
        }
    }

    /// What a command lists with `--json`.
    private static func items(_ outcome: PorticoProcess.Outcome) throws -> [JSONObject] {
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let json = try outcome.json
        return (json.array("items") ?? []).compactMap(\.object)
    }

    @Test("a host is told of a session that a command ended, though its person does not come again")
    func ended() async throws {
        try await HandleNetwork.run { network in
            let log = network.log
            _ = try await network.signIn()
            let accounts = try Self.items(try await network.run("user list --realm home --json"))
            #expect(accounts.count == 1)
            let account = try #require(accounts.first?.string("id"))
            #expect(log.count(.revocation) == 0)
            let ended = try await network.run("user sign-out \(account) --realm home")
            #expect(ended.status == 0, "\(ended.stderr)")
            try await waitUntil("the host is told") { log.count(.revocation) > 0 }
        }
    }

    /// The states of the keys that prove who we are, by their ids.
    private static func keys(_ network: HandleNetwork) async throws -> [String: String] {
        let listed = try await network.run("provider keys list atproto --json")
        let pairs = try items(listed).map { ($0.string("kid") ?? "", $0.string("state") ?? "") }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test("ATP-CA-6: a running server publishes a new key once the last one was withdrawn")
    func withdrawn() async throws {
        try await HandleNetwork.run { network in
            let before = try await Self.keys(network)
            #expect(Array(before.values) == ["active"])
            let key = try #require(before.keys.first)
            let withdrawn = try await network.run("provider keys withdraw atproto -- \(key)")
            #expect(withdrawn.status == 0, "\(withdrawn.stderr)")
            try await waitUntil("there is a new key") {
                try await Self.keys(network).values.contains("next")
            }
            #expect(try await Self.keys(network)[key] == "withdrawn")
        }
    }
}

@Suite("A realm's own host, served") struct RealmHostServeTests {
    @Test("decision 0059: a running server serves a realm at its own host, and nothing else there")
    func serves() async throws {
        let server = try await DemoServer()
        let port = server.port
        let path = "/.well-known/oauth-authorization-server"
        let before = await RawExchange.get(path, host: "pds.localhost:\(port)", port: port)
        #expect(before?.status == 421)
        try server.portico.done([
            "realm", "create", "hosted", "--public-url", server.url, "--host",
            "http://pds.localhost:\(port)", "--data-directory", "demo",
        ])
        var found = ""
        try await waitUntil("it is there") {
            let reply = await RawExchange.get(path, host: "pds.localhost:\(port)", port: port)
            found = reply?.body ?? ""
            return reply?.status == 200
        }
        let document = try JSONObject(parsing: Array(found.utf8))
        let issuer = "http://pds.localhost:\(port)"
        #expect(document.string("issuer") == issuer)
        let token = "\(issuer)/realms/hosted/protocol/openid-connect/token"
        #expect(document.string("token_endpoint") == token)
        for other in ["/realms/demo/account", "/login", "/v1/auth/session", "/_outbox"] {
            let reply = await RawExchange.get(other, host: "pds.localhost:\(port)", port: port)
            #expect(reply?.status == 404, "\(other)")
            let own = await RawExchange.get(other, host: "127.0.0.1:\(port)", port: port)
            #expect(own?.status != 404, "\(other)")
        }
        let elsewhere = await RawExchange.get(path, host: "127.0.0.1:\(port)", port: port)
        #expect(elsewhere?.status == 404)
    }
}

import Foundation
import HTTPTypes
@testable import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

@Suite("A realm with a host of its own") struct RealmHostTests {
    private static let host = "https://pds.example.com"

    private static func new(_ name: String, host: String? = host) throws -> NewRealm {
        try RealmCreation(ring: TestRealm.ring)(
            name: name,
            baseURL: "https://op.example.com",
            host: host,
            at: Moment(now: Date(timeIntervalSince1970: 1_700_000_000), random: .system)
        )
    }

    /// Beside the realm `test`, which has none.
    private func server() async throws -> (ProviderUnderTest, RealmStore, Realm) {
        let database = try TestDatabase.inMemory()
        let server = try await ProviderUnderTest(database: database)
        let new = try Self.new("hosted")
        #expect(try await database.realms.create(new) == .created)
        try await server.provider.realms.refresh()
        return (server, database.realms, new.realm)
    }

    private func get(_ server: ProviderUnderTest, _ path: String, host: String) async throws
        -> Reply
    {
        try await server.send(.get, path, host: host)
    }

    @Test(
        "decision 0059: its metadata is at the root of its host, with addresses of that host",
        arguments: ["openid-configuration", "oauth-authorization-server"]
    )
    func metadata(name: String) async throws {
        let (server, _, _) = try await server()
        let reply = try await get(server, "/.well-known/\(name)", host: "pds.example.com")
        #expect(reply.status == 200)
        let document = reply.json
        #expect(document.string("issuer") == Self.host)
        let base = "\(Self.host)/realms/hosted/protocol/openid-connect"
        #expect(document.string("authorization_endpoint") == "\(base)/auth")
        #expect(document.string("token_endpoint") == "\(base)/token")
        #expect(document.string("jwks_uri") == "\(base)/certs")
        let addresses = document.compactMap { $0.value.string }.filter { $0.hasPrefix("http") }
        #expect(addresses.count > 5)
        #expect(addresses.allSatisfy { $0 == Self.host || $0.hasPrefix("\(Self.host)/") })
        let keys = try await get(
            server,
            "/realms/hosted/protocol/openid-connect/certs",
            host: "pds.example.com"
        )
        #expect(keys.status == 200)
    }

    @Test("decision 0059: nothing of one host is answered under another")
    func apart() async throws {
        let (server, _, _) = try await server()
        for path in [
            "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
            "/realms/hosted/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server/realms/hosted",
            "/realms/hosted/protocol/openid-connect/certs", "/realms/hosted/account",
        ] {
            let reply = try await get(server, path, host: "op.example.com")
            #expect(reply.status == 404, "\(path)")
            #expect(!reply.text.contains("pds.example.com"), "\(path)")
        }
        for path in [
            "/realms/test/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server/realms/test",
            "/realms/test/protocol/openid-connect/certs", "/realms/test/account", "/nowhere",
        ] {
            let reply = try await get(server, path, host: "pds.example.com")
            #expect(reply.status == 404, "\(path)")
            #expect(!reply.text.contains("op.example.com"), "\(path)")
        }
        let own = try await get(
            server,
            "/realms/test/.well-known/openid-configuration",
            host: "op.example.com"
        )
        #expect(own.json.string("issuer") == TestRealm.issuer)
        let stranger = try await get(
            server,
            "/.well-known/openid-configuration",
            host: "other.example.com"
        )
        #expect(stranger.status == 421)
    }

    @Test("decision 0059: the administration is not at a realm's host")
    func administration() async throws {
        let database = try TestDatabase.inMemory()
        let server = try await ProviderUnderTest(database: database, administered: true)
        #expect(try await database.realms.create(try Self.new("hosted")) == .created)
        try await server.provider.realms.refresh()
        #expect(try await get(server, "/admin/realms", host: "op.example.com").status == 401)
        #expect(try await get(server, "/admin/realms", host: "pds.example.com").status == 404)
    }

    @Test("decision 0059: a post to another host than the realm's changes nothing")
    func posts() async throws {
        let (server, _, _) = try await server()
        for (path, host) in [
            ("/realms/test/protocol/openid-connect/token", "pds.example.com"),
            ("/realms/hosted/protocol/openid-connect/token", "op.example.com"),
        ] {
            let reply = try await server.send(
                .post,
                path,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array("grant_type=client_credentials&client_id=machine".utf8),
                host: host
            )
            #expect(reply.status == 404)
        }
    }

    @Test("decision 0059: people sign in at the host, and tokens name it as their issuer")
    func tokens() async throws {
        let server = try await ProviderUnderTest { $0.realm.issuer = Self.host }
        let page = try await get(
            server,
            TestBrowser.authorizationPath(TestFlow.request()),
            host: "pds.example.com"
        )
        #expect(page.status == 200)
        #expect(page.formAction?.hasPrefix("/realms/test/login-actions/") == true)
        let secret = TestRealm.machineSecret.replacing(" ", with: "+")
        let credentials = Data("machine:\(secret)".utf8).base64EncodedString()
        func token(_ host: String) async throws -> Reply {
            try await server.send(
                .post,
                .endpoint("token"),
                headers: [
                    .contentType: "application/x-www-form-urlencoded",
                    .authorization: "Basic \(credentials)",
                ],
                body: Array("grant_type=client_credentials".utf8),
                host: host
            )
        }
        let granted = try await token("pds.example.com")
        let text = try #require(granted.json.string("access_token"), "\(granted.text)")
        #expect(try JWT(parsing: text).uncheckedClaims().string("iss") == Self.host)
        #expect(try await token("op.example.com").status == 404)
    }

    @Test("decision 0059, RFC9449-4.3-10: a proof names the endpoint at the realm's own host")
    func provenAddress() async throws {
        let server = try await ProviderUnderTest { $0.realm.issuer = Self.host }
        let key = try DPoPKey(random: .system)
        let path = String.endpoint("token")
        let nonce = try await get(server, path, host: "pds.example.com").headers[.nonce]
        for (origin, status) in [("https://op.example.com", 400), (Self.host, 200)] {
            let proof = try key.proof(
                .post,
                try #require(HTTPAddress(origin + path)),
                nonce: nonce,
                at: Moment(now: server.clock.now, random: .system)
            )
            let reply = try await server.send(
                .post,
                path,
                headers: [
                    .contentType: "application/x-www-form-urlencoded", .proof: proof,
                    .authorization: ProviderUnderTest.basic("machine", TestRealm.machineSecret),
                ],
                body: Array("grant_type=client_credentials".utf8),
                host: "pds.example.com"
            )
            #expect(reply.status == status, "\(origin): \(reply.text)")
            #expect(reply.json.string("token_type") == (status == 200 ? "DPoP" : nil))
            #expect(reply.headers[values: .nonce].count == 1)
        }
    }

    @Test("decision 0059: a host is served while its realm is there and enabled")
    func leaves() async throws {
        let (server, realms, realm) = try await server()
        let path = "/.well-known/openid-configuration"
        func status() async throws -> Int {
            try await server.provider.realms.refresh()
            return try await get(server, path, host: "pds.example.com").status
        }
        #expect(try await status() == 200)
        var changed = realm
        changed.isEnabled = false
        _ = try await realms.update(changed)
        #expect(try await status() == 421)
        changed.isEnabled = true
        _ = try await realms.update(changed)
        #expect(try await status() == 200)
        _ = try await realms.deleteRealm(id: realm.id)
        #expect(try await status() == 421)
    }

    @Test("decision 0059: two realms cannot have one host")
    func twice() async throws {
        let (_, realms, _) = try await server()
        #expect(try await realms.create(try Self.new("second")) == .conflict)
    }

    @Test(
        "decision 0059: a host is an origin of the public URL's scheme, and not the public URL",
        arguments: [
            ("https://op.example.com", RealmCreation.Refusal.hostIsPublicURL),
            ("http://pds.localhost:8080", .hostScheme), ("https://pds.example.com/", .host),
            ("https://pds.example.com/x", .host), ("https://PDS.example.com", .host),
            ("https://pds.example.com:444/", .host), ("pds.example.com", .host),
            ("http://pds.example.com", .host), ("", .host),
        ]
    )
    func refused(host: String, refusal: RealmCreation.Refusal) {
        #expect(throws: refusal) { try Self.new("hosted", host: host) }
    }

    @Test("decision 0059: the port that https has anyway is left out")
    func usualPort() throws {
        #expect(try Self.new("hosted", host: "\(Self.host):443").realm.issuer == Self.host)
    }

    @Test("decision 0036: a realm without a host has its issuer below the public URL, as before")
    func ordinary() throws {
        let realm = try Self.new("plain", host: nil).realm
        #expect(realm.issuer == "https://op.example.com/realms/plain")
        #expect(realm.host == nil)
        #expect(realm.base == realm.issuer)
        let hosted = try Self.new("hosted").realm
        #expect(hosted.issuer == Self.host)
        #expect(hosted.host?.origin == Self.host)
        #expect(hosted.base == "\(Self.host)/realms/hosted")
    }
}

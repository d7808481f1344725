import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("A host of the AT Protocol: what it says of itself") struct ATMetadataTests {
    private static let host = "https://pds.example.com"
    private static let path = "/.well-known/oauth-authorization-server"

    private func server(resource: String = host) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { new in
            new.realm.issuer = Self.host
            new.realm.profile = .atProtocol(resource: resource)
        }
    }

    private func get(_ server: ProviderUnderTest, _ path: String, host: String = "pds.example.com")
        async throws -> Reply
    {
        try await server.send(.get, path, host: host)
    }

    @Test("ATP-AS-3, CIMD-5-1: its metadata is what a client of the AT Protocol wants")
    func metadata() async throws {
        let reply = try await get(server(), Self.path)
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "application/json")
        #expect(reply.headers[.cacheControl]?.contains("max-age=300") == true)
        #expect(reply.headers[.accessControlAllowOrigin] == "*")
        // What our own client reads, member by member.
        let read = try AuthorizationServer(parsing: reply.body, of: try ServerOrigin(Self.host))
        #expect(read.issuer.text == Self.host)
        #expect(read.protectedResources == [Self.host])
        #expect(read.revocation != nil)
        let document = reply.json
        #expect(document.bool("client_id_metadata_document_supported") == true)
        #expect(document.bool("require_pushed_authorization_requests") == true)
        #expect(document.bool("require_request_uri_registration") != false)
        for (name, value) in document where name.contains("signing_alg") {
            #expect(value.strings?.contains("none") == false, "\(name)")
        }
        #expect(document["id_token_signing_alg_values_supported"] == nil)
        #expect(document["userinfo_endpoint"] == nil)
        // Clients make these up: they are where real hosts have them (docs/decisions/0064).
        let addresses = [
            "authorization_endpoint": "authorize", "token_endpoint": "token",
            "pushed_authorization_request_endpoint": "par", "revocation_endpoint": "revoke",
            "jwks_uri": "jwks",
        ]
        for (name, value) in document where name.hasSuffix("_endpoint") || name == "jwks_uri" {
            let path = try #require(addresses[name], "\(name)")
            #expect(value.string == "\(Self.host)/oauth/\(path)")
        }
        #expect(addresses.keys.allSatisfy { document[$0] != nil })
    }

    /// Below `/oauth/`, and where other realms have them.
    private static let endpoints = [
        (path: "authorize", former: "auth"), (path: "par", former: "ext/par/request"),
        (path: "token", former: "token"), (path: "introspect", former: "token/introspect"),
        (path: "revoke", former: "revoke"), (path: "jwks", former: "certs"),
    ]

    @Test("decision 0064: endpoints of OAuth are below /oauth/, not where other realms have them")
    func places() async throws {
        let server = try await server()
        for (path, former) in Self.endpoints {
            let here = try await get(server, "/oauth/\(path)")
            let isProven = !["authorize", "jwks"].contains(path)
            #expect(here.status == (isProven ? 405 : path == "jwks" ? 200 : 400), "\(path)")
            #expect(here.headers[values: .nonce].count == (isProven ? 1 : 0), "\(path)")
            let wrong = try await server.send(.put, "/oauth/\(path)", host: "pds.example.com")
            #expect(wrong.status == 405)
            #expect(wrong.error == "method_not_allowed", "\(path)")
            for method in [HTTPRequest.Method.get, .head, .post, .options, .put] {
                let gone = try await server.send(
                    method,
                    String.endpoint(former),
                    headers: [.origin: "https://app.example.com"],
                    host: "pds.example.com"
                )
                #expect(gone.status == 404, "\(method) \(former)")
                #expect(gone.headers[.nonce] == nil && gone.headers[.allow] == nil)
                #expect(gone.headers[.accessControlAllowOrigin] == nil)
            }
        }
        // What only OpenID Connect has stays, and so do pages.
        for path in [
            String.endpoint("userinfo"), String.endpoint("logout"),
            "/realms/test/account/apps",
        ] {
            #expect(try await get(server, path).status != 404, "\(path)")
        }
        let info = try await get(server, "/realms/test")
        #expect(info.json.string("token-service") == "\(Self.host)/oauth")
    }

    @Test("decision 0064: other realms, and other names of the server, have nothing below /oauth/")
    func otherRealms() async throws {
        let own = try await server()
        let hosted = try await ProviderUnderTest { $0.realm.issuer = Self.host }
        let ordinary = try await ProviderUnderTest()
        for (path, former) in Self.endpoints {
            for (server, host) in [
                (own, "op.example.com"), (hosted, "pds.example.com"), (ordinary, "op.example.com"),
            ] {
                for method in [HTTPRequest.Method.get, .post, .options] {
                    let reply = try await server.send(method, "/oauth/\(path)", host: host)
                    #expect(reply.status == 404, "\(method) \(host)/oauth/\(path)")
                    #expect(reply.json == ["error": "Realm does not exist"])
                    #expect(reply.headers[.nonce] == nil && reply.headers[.allow] == nil)
                }
            }
            for (server, host) in [(hosted, "pds.example.com"), (ordinary, "op.example.com")] {
                let kept = try await get(server, String.endpoint(former), host: host)
                #expect(kept.status != 404, "\(former)")
            }
            for address in [
                "/realms/test/oauth/\(path)", "/oauth/\(path)/realms/test", "/oauth/\(path)/",
                "/OAuth/\(path)", "//oauth/\(path)",
            ] {
                #expect(try await get(own, address).status == 404, "\(address)")
            }
        }
        #expect(try await get(own, "/oauth/token", host: "other.example.com").status == 421)
    }

    @Test("ATP-AS-3: it is no OpenID Provider, and says nothing as one")
    func openID() async throws {
        let server = try await server()
        for path in [
            "/.well-known/openid-configuration", "/realms/test/.well-known/openid-configuration",
            "/.well-known/openid-configuration/realms/test",
        ] {
            #expect(try await get(server, path).status == 404, "\(path)")
        }
        let ordinary = try await ProviderUnderTest()
        let reply = try await get(
            ordinary,
            "/realms/test/.well-known/openid-configuration",
            host: "op.example.com"
        )
        #expect(reply.status == 200)
        #expect(reply.json["client_id_metadata_document_supported"] == nil)
    }

    @Test("ATP-RS-3, RFC9728-2-1, RFC9728-2-2, RFC9728-3-1: the host names its server, itself")
    func resource() async throws {
        let reply = try await get(server(), "/.well-known/oauth-protected-resource")
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "application/json")
        #expect(reply.headers[.accessControlAllowOrigin] == "*")
        #expect(reply.json.string("resource") == Self.host)
        #expect(reply.json.strings("authorization_servers") == [Self.host])
        #expect(reply.json.bool("dpop_bound_access_tokens_required") == true)
        #expect(reply.json.strings("bearer_methods_supported") == ["header"])
        #expect(reply.json.strings("scopes_supported")?.first == "atproto")
    }

    @Test("RFC9728-2-1: no document is served for a resource elsewhere, nor at another host")
    func elsewhere() async throws {
        let path = "/.well-known/oauth-protected-resource"
        let server = try await server(resource: "https://accounts.example.com")
        #expect(try await get(server, path).status == 404)
        let reply = try await get(server, Self.path)
        #expect(reply.json.strings("protected_resources") == ["https://accounts.example.com"])
        #expect(try await get(server, path, host: "op.example.com").status == 404)
        let ordinary = try await ProviderUnderTest { $0.realm.issuer = Self.host }
        #expect(try await get(ordinary, path).status == 404)
    }

    @Test(
        "RFC 9449 §8.2: below /oauth/ every answer has one nonce: to a wrong method, too much, too often, while we are busy",
        arguments: ["par", "token", "revoke"]
    )
    func noncesOfRefusals(endpoint: String) async throws {
        let scene = try await ATScene()
        func send(_ method: HTTPRequest.Method, _ body: [UInt8]) async throws -> Reply {
            var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            if endpoint == "token" { headers[.proof] = try await scene.app.proof(.post, "token") }
            return try await scene.server.send(
                method,
                "/oauth/\(endpoint)",
                headers: headers,
                body: body,
                host: "as.example.com"
            )
        }
        func post(client id: String) async throws -> Reply {
            try await send(.post, FormEncoding.encode([("client_id", id)]))
        }
        scene.sites.isFull = true
        var replies = [
            try await send(.put, []), try await send(.post, Array(repeating: 0x61, count: 70_000)),
            try await post(client: ATScene.url),
        ]
        scene.sites.isFull = false
        // An address may have twenty documents fetched a minute.
        for number in 1...20 {
            replies.append(try await post(client: "https://n\(number).example.com/x"))
        }
        #expect(Set(replies.map(\.status)) == [400, 405, 413, 429, 503])
        for reply in replies {
            #expect(reply.headers[values: .nonce].count == 1, "\(reply.status)")
            #expect(reply.headers[.nonce]?.utf8.count == 43)
        }
    }

    @Test("ATP-AS-4: any site's scripts may push, redeem, revoke and read nonces; pages are closed")
    func preflights() async throws {
        let server = try await server()
        let origin = "https://app.example.com"
        for endpoint in ["par", "token", "revoke"] {
            let asked = try await server.send(
                .options,
                "/oauth/\(endpoint)",
                headers: [
                    .origin: origin, .accessControlRequestMethod: "POST",
                    .accessControlRequestHeaders: "content-type,dpop",
                ],
                host: "pds.example.com"
            )
            #expect(asked.status == 204, "\(endpoint)")
            #expect(asked.headers[.accessControlAllowOrigin] == "*")
            #expect(asked.headers[.accessControlAllowHeaders] == "content-type, dpop")
            let refused = try await server.send(
                .post,
                "/oauth/\(endpoint)",
                headers: [.origin: origin, .contentType: "application/x-www-form-urlencoded"],
                body: Array("client_id=nobody".utf8),
                host: "pds.example.com"
            )
            #expect((400..<500).contains(refused.status))
            #expect(refused.headers[.accessControlAllowOrigin] == "*")
            #expect(refused.headers[.accessControlExposeHeaders]?.contains("DPoP-Nonce") == true)
            #expect(refused.headers[.nonce] != nil)
            #expect(refused.headers[.accessControlAllowCredentials] == nil)
        }
        for path in ["/oauth/authorize", "/realms/test/account/apps"] {
            let page = try await server.send(
                .get,
                path,
                headers: [.origin: origin],
                host: "pds.example.com"
            )
            #expect(page.headers[.accessControlAllowOrigin] == nil, "\(path)")
        }
    }

    @Test("ATP-AS-4: in other realms no script may push")
    func ordinary() async throws {
        let server = try await ProviderUnderTest()
        let reply = try await server.post(
            .endpoint("ext/par/request"),
            TestFlow.request(),
            headers: [.origin: "https://app.example.com"]
        )
        #expect(reply.headers[.accessControlAllowOrigin] == nil)
    }
}

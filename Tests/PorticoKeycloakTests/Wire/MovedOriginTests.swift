import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Scripts of clients that come from Keycloak (Fetch §3.2)") struct MovedOriginTests {
    private static let moved = Task { try await MovedServer() }

    private func allowed(_ reply: Reply) -> [String?] {
        [
            reply.headers[.accessControlAllowOrigin],
            reply.headers[.accessControlAllowCredentials],
        ]
    }

    @Test("decision 0049: registered origins may send credentials, which keycloak-js always does")
    func credentials() async throws {
        let moved = try await Self.moved.value
        for (client, origin) in [
            ("spa", "https://spa.example.com"), ("dev", "http://localhost:3000"),
        ] {
            let headers: HTTPFields = [.origin: origin]
            let tokens = try await moved.tokens("ann", client).json
            let refreshed = try await moved.refresh(
                try #require(tokens.string("refresh_token")),
                client,
                headers: headers
            )
            #expect(refreshed.status == 200)
            #expect(allowed(refreshed) == [origin, "true"])
            let refused = try await moved.refresh("x", client, headers: headers)
            #expect(refused.status == 400)
            #expect(allowed(refused) == [origin, "true"])
            var bearer = headers
            bearer[.authorization] = "bearer \(try #require(refreshed.json.string("access_token")))"
            let info = try await moved.get(MovedServer.path("userinfo"), bearer)
            #expect(info.status == 200)
            #expect(allowed(info) == [origin, "true"])
            for (path, method) in [
                (MovedServer.path("token"), "POST"), (MovedServer.path("userinfo"), "GET, POST"),
                (MovedServer.path("logout"), "POST"), (MovedServer.path("revoke"), "POST"),
                ("/realms/acme/account", "GET"),
            ] {
                let preflight = try await moved.server.send(.options, path, headers: headers)
                #expect(preflight.status == 204)
                #expect(allowed(preflight) == [origin, "true"], "\(path)")
                #expect(preflight.headers[.accessControlAllowMethods] == method, "\(path)")
            }
            let ended = try await moved.server.post(
                MovedServer.path("logout"),
                [
                    ("client_id", client),
                    ("refresh_token", refreshed.json.string("refresh_token") ?? ""),
                ],
                headers: headers
            )
            #expect(ended.status == 204)
            #expect(allowed(ended) == [origin, "true"])
        }
    }

    @Test("WEB-CORS-1: an asterisk never lets a stranger's page send credentials")
    func asterisk() async throws {
        let moved = try await Self.moved.value
        for origin in ["https://evil.example", "https://any.example.com", "null"] {
            let reply = try await moved.refresh("x", "any", headers: [.origin: origin])
            #expect(reply.status == 400)
            #expect(allowed(reply) == ["*", nil], "\(origin)")
            for path in ["token", "userinfo", "logout"] {
                let preflight = try await moved.server.send(
                    .options,
                    MovedServer.path(path),
                    headers: [.origin: origin]
                )
                #expect(allowed(preflight) == ["*", nil], "\(origin) \(path)")
            }
        }
    }

    @Test("WEB-CORS-1: an origin is its own client's, byte for byte")
    func strangers() async throws {
        let moved = try await Self.moved.value
        for origin in [
            "https://evil.example", "https://plain.example.com", "https://off.example.com", "null",
            "https://spa.example.com:444", "http://spa.example.com", "HTTPS://spa.example.com",
            "https://spa.example.com/", "https://spa.example.com.evil.example",
        ] {
            let reply = try await moved.refresh("x", "spa", headers: [.origin: origin])
            #expect(reply.status == 400)
            #expect(allowed(reply) == [nil, nil], "\(origin)")
            #expect(reply.headers[.vary]?.contains("Origin") == true)
        }
    }

    @Test("Fetch §3.2: clients of Portico's and public documents have no credentials")
    func others() async throws {
        let moved = try await Self.moved.value
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices where realm.clients[index].clientID == "native1" {
                realm.clients[index].webOrigins = ["https://native.example"]
            }
        }
        let own = try await server.post(
            ProviderUnderTest.path("token"),
            [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "native1")],
            headers: [.origin: "https://native.example"]
        )
        #expect(allowed(own) == ["https://native.example", nil])
        for path in [
            "/realms/acme/.well-known/openid-configuration", MovedServer.path("certs"),
            "/realms/acme",
        ] {
            let reply = try await moved.get(path, [.origin: "https://spa.example.com"])
            #expect(allowed(reply) == ["*", nil], "\(path)")
        }
        for path in [MovedServer.path("auth"), MovedServer.path("ext/par/request")] {
            let headers: HTTPFields = [.origin: "https://spa.example.com"]
            let reply = try await moved.server.send(.options, path, headers: headers)
            #expect(allowed(reply) == [nil, nil], "\(path)")
        }
    }
}

import Foundation
import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Addresses of realms that come from Keycloak (wire B.1)") struct RealmAddressTests {
    private static let moved = Task { try await MovedServer() }

    @Test("KC-P-4: a realm's own address tells programs what it is, and people as a page")
    func realmInfo() async throws {
        let moved = try await Self.moved.value
        for realm in ["acme", "test"] {
            for path in ["/realms/\(realm)", "/realms/\(realm)/"] {
                for accept in ["*/*", "application/json", nil] {
                    var headers: HTTPFields = [.origin: "https://evil.example"]
                    headers[.accept] = accept
                    let reply = try await moved.get(path, headers)
                    #expect(reply.status == 200)
                    #expect(
                        Set(reply.json.map(\.name)) == [
                            "realm", "public_key", "token-service", "account-service",
                            "tokens-not-before",
                        ]
                    )
                    let issuer = "https://op.example.com/realms/\(realm)"
                    #expect(reply.json.string("realm") == realm)
                    #expect(
                        reply.json.string("token-service") == issuer + "/protocol/openid-connect"
                    )
                    #expect(reply.json.string("account-service") == issuer + "/account")
                    #expect(reply.json.int64("tokens-not-before") == 0)
                    #expect(reply.headers[.accessControlAllowOrigin] == "*")
                    #expect(reply.headers[.accessControlAllowCredentials] == nil)
                    #expect(reply.headers[.vary]?.contains("Accept") == true)
                }
            }
            let page = try await moved.get("/realms/\(realm)", [.accept: "text/html,*/*;q=0.8"])
            #expect(page.text.contains("<html"))
        }
    }

    @Test("KC-P-4: public_key is the key that verifies RS256, as certificates have it")
    func publicKey() async throws {
        let moved = try await Self.moved.value
        let info = try await moved.get("/realms/acme").json
        let text = try #require(info.string("public_key"))
        let der = try #require(Data(base64Encoded: text))
        let key = try ForeignPublicKey(der: Array(der))
        let keys = try await moved.get(MovedServer.path("certs")).json
        let rsa = (keys["keys"]?.array ?? []).compactMap(\.object)
            .first { $0.string("alg") == "RS256" }
        #expect(key.jwkMembers.string("n") == rsa?.string("n"))
        #expect(rsa != nil)
    }

    @Test(
        "attack H05: a slash at the end is taken where a route has one, and nowhere else",
        arguments: [
            "/realms/acme//", "/realms//acme/", "/realms/acme/account//", "/realms/", "//",
            "/realms/acme/account/apps/", "/realms/acme/protocol/openid-connect/certs/",
            "/realms/acme/.well-known/openid-configuration/", "/realms/acme/./",
            "/realms/acme/%2e/", "/realms/acme/clients/spa/redirect/", "/realms/nowhere/account/",
            "/realms/acme/protocol/openid-connect/",
        ]
    )
    func slashes(_ path: String) async throws {
        let moved = try await Self.moved.value
        for method in [HTTPRequest.Method.get, .post, .options] {
            let reply = try await moved.server.send(method, path)
            #expect(reply.status == 404, "\(path)")
            #expect(reply.location == nil)
        }
        let account = try await moved.get("/realms/acme/account/")
        #expect(account.location == "/realms/acme/account")
    }

    @Test("KC-P-3: an unknown realm is told of in Keycloak's words, but to people on a page")
    func unknownRealm() async throws {
        let moved = try await Self.moved.value
        for path in ["/realms/nowhere", MovedServer.path("auth", realm: "nowhere")] {
            let reply = try await moved.get(path, [.accept: "*/*"])
            #expect(reply.status == 404)
            #expect(reply.json.string("error") == "Realm does not exist")
        }
        let page = try await moved.get("/realms/nowhere", [.accept: "text/html"])
        #expect(page.status == 404)
        #expect(page.text.contains("Page not found"))
    }

    @Test("decision 0049: what is not there is told of in Keycloak's words, to people on a page")
    func notThere() async throws {
        let moved = try await Self.moved.value
        for path in [
            MovedServer.path("delegated"), "/realms/acme/protocol/openid-connect",
            "/realms/acme/.well-known/webfinger", "/realms/acme/nothing",
            "/realms/acme/clients/nobody/redirect", "/realms/acme/clients/off/redirect",
            "/realms/acme/clients/web/redirect", "/realms/acme/clients/any/redirect",
        ] {
            let reply = try await moved.get(path, [.accept: "*/*"])
            #expect(reply.status == 404, "\(path)")
            let isPage = path.contains("/clients/")
            #expect(reply.json.string("error") == (isPage ? nil : "HTTP 404 Not Found"), "\(path)")
            #expect(reply.location == nil)
        }
        let page = try await moved.get("/realms/acme/nothing", [.accept: "text/html"])
        #expect(page.text.contains("<html lang=\"de\""))
        let token = try await moved.get(MovedServer.path("token"), [.accept: "*/*"])
        #expect(token.status == 405)
        #expect(token.headers[.allow] == "POST")
        #expect(token.json.string("error") == "HTTP 405 Method Not Allowed")
    }

    @Test("decision 0049: a client's address leads to where the client begins")
    func clientRedirect() async throws {
        let moved = try await Self.moved.value
        for (client, home) in [
            ("spa", "https://spa.example.com/home"), ("dev", "https://dev.example.com/start"),
        ] {
            let reply = try await moved.get("/realms/acme/clients/\(client)/redirect")
            #expect(reply.status == 303)
            #expect(reply.location == home)
        }
        #expect(try await moved.get("/realms/test/clients/web1/redirect").status == 404)
    }

    @Test("decision 0049: discovery lists the realm's scopes and levels, and the status page")
    func discovery() async throws {
        let moved = try await Self.moved.value
        let path = "/realms/acme/.well-known/openid-configuration"
        let document = try await moved.get(path).json
        #expect(
            document.strings("scopes_supported")
                == [
                    "openid", "basic", "email", "offline_access", "profile", "roles", "team",
                ]
        )
        #expect(document.strings("acr_values_supported") == ["silver", "gold", "0", "1"])
        #expect(document.strings("subject_types_supported") == ["public", "pairwise"])
        #expect(
            document.string("check_session_iframe")
                == "https://op.example.com/realms/acme/protocol/openid-connect/"
                + "login-status-iframe.html"
        )
        let own = try await moved.get("/realms/test/.well-known/openid-configuration").json
        #expect(own.strings("acr_values_supported") == ["0", "1"])
        for name in ["3p-cookies/step1.html", "login-status-iframe.html"] {
            let frame = try await moved.get(MovedServer.path(name, realm: "test"))
            let policy = frame.headers[.contentSecurityPolicy] ?? ""
            #expect(policy.contains("frame-ancestors 'none'") || !policy.contains("https://"))
        }
    }
}

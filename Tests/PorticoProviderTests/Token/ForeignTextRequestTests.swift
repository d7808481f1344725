import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// Text that is not ASCII costs the more to compare the longer it is: it is bounded before anything
/// is done with it, wherever it stands (WEB-INPUT-1).
@Suite("Requests with foreign text") struct ForeignTextRequestTests {
    /// 10 kB, which is 30 kB in a form: longer ones take seconds to compare as Swift compares texts.
    private static let marks = "a" + String(repeating: "\u{301}\u{323}", count: 2_500)

    @Test(
        "WEB-INPUT-1: 10 kB of combining marks are invalid_request in any parameter",
        arguments: ["token", "revoke", "token/introspect", "ext/par/request"],
        [
            "client_id", "client_secret", "grant_type", "code", "scope", "token", "prompt",
            "response_mode", "nonce", "unknown",
        ]
    )
    func value(endpoint: String, parameter: String) async throws {
        let server = try await ProviderUnderTest()
        let form = [(parameter, Self.marks)]
        let reply = try await server.post(.endpoint(endpoint), form)
        #expect(reply.status == 400 && reply.error == "invalid_request")
        #expect(try await server.remains() == Remains())
    }

    @Test("WEB-INPUT-1: or as a parameter's name", arguments: ["token", "ext/par/request"])
    func name(endpoint: String) async throws {
        let reply = try await ProviderUnderTest().post(.endpoint(endpoint), [(Self.marks, "a")])
        #expect(reply.status == 400 && reply.error == "invalid_request")
    }

    @Test("WEB-INPUT-1: what is typed into a page is bounded as well, and no one signs in by it")
    func page() async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        for field in ["username", "password", "action"] {
            let reply = try await browser.submit(
                page,
                [("username", "alice"), ("password", "x"), (field, Self.marks)]
            )
            #expect(reply.status == 400)
            #expect(reply.location == nil)
        }
        expectCode(try await browser.submit(page, TestRealm.login()))
    }

    @Test("WEB-INPUT-1: Basic credentials and tokens of marks are refused")
    func credentials() async throws {
        let server = try await ProviderUnderTest()
        let short = "a" + String(repeating: "\u{301}", count: 600)
        let basic = ProviderUnderTest.basic(short, "secret")
        let reply = try await server.post(
            .endpoint("token"),
            TestFlow.own,
            headers: [.authorization: basic]
        )
        #expect(reply.status == 401)
    }

    @Test("RFC 6749 §3.3: a scope of 10,000 tokens is invalid_scope")
    func scope() async throws {
        let server = try await ProviderUnderTest()
        let scope = (0..<10_000).map { String($0, radix: 36) }.joined(separator: " ")
        #expect(scope.utf8.count < 65_000)
        let reply = try await server.token(
            [("grant_type", "client_credentials"), ("scope", scope)],
            basic: ("machine", TestRealm.machineSecret)
        )
        #expect(reply.status == 400 && reply.error == "invalid_scope")
    }

    @Test("RFC 6749 §2.2: a client_id in another normalization form is another client")
    func clientSpelling() async throws {
        let server = try await ProviderUnderTest { realm in
            for (clientID, name) in [("caf\u{E9}", "composed"), ("cafe\u{301}", "decomposed")] {
                guard var client = realm.clients.first(where: { $0.clientID == "native1" }) else {
                    continue
                }
                client.id = UniqueID(random: .system).text
                client.clientID = clientID
                client.name = name
                realm.clients.append(client)
            }
        }
        let redirect = [("redirect_uri", TestFlow.redirects["native1"] ?? "")]
        for (clientID, name) in [("caf\u{E9}", "composed"), ("cafe\u{301}", "decomposed")] {
            let request = TestFlow.request(clientID, redirect)
            let page = try await TestBrowser(server).authorize(request)
            #expect(page.status == 200)
            #expect(page.text.contains(name))
        }
        // The code of one is not the other's.
        let code = try await server.code("alice", "caf\u{E9}", redirect)
        let stolen = try await server.redeem(code, "cafe\u{301}", redirect)
        #expect(stolen.error == "invalid_grant")
    }
}

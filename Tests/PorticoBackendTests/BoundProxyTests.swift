import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoTesting
import PorticoWeb
import Testing

@Suite("The proxy, with tokens that are bound to a key")
struct BoundProxyTests {
    private static func server(_ fake: FakeProvider) async throws -> BackendUnderTest {
        let database = try TestDatabase.inMemory()
        let secret = SecretText("a secret")
        try await database.configuration.put(
            ProviderRecord(
                name: "company",
                kind: "oidc",
                place: 0,
                isEnabled: true,
                settings: [
                    "clientID": "us", "issuer": .string(fake.issuer), "dpop": true,
                    "authentication": "client_secret_post",
                ],
                sealedSecret: ProviderSecrets(ring: TestRealm.ring).seal(
                    secret,
                    for: "company",
                    random: .system
                )
            )
        )
        let site = InProcessServer(TransportSite(fake))
        return try await BackendUnderTest(
            database: database,
            apis: [try ProxiedAPI("orders=https://orders.example.com/v2,company")],
            further: ["id.example.com": site, "orders.example.com": site]
        )
    }

    @Test("RFC 9449 §7.1, WEB-BFF-4: what is passed on has a proof of the key of the sign-in")
    func proxied() async throws {
        let fake = FakeProvider(clock: TestClock(at: StoppedClock().now))
        fake.serve("https://orders.example.com") { call in
            .json([
                "of": .string(call.person.subject),
                "authorization": .string(call.request.headerFields[.authorization] ?? ""),
            ])
        }
        let server = try await Self.server(fake)
        let visitor = TestVisitor(server)
        let start = try await visitor.request("/v1/auth/company")
        try await fake.browser.open(try #require(start.location))
        let callback = try #require(fake.browser.callback)
        let landed = try await visitor.open(callback)
        #expect(landed.reply.status == 200, "\(landed.reply.text.prefix(200))")
        for _ in 0..<2 {
            let reply = try await visitor.request(
                "/bff/orders/list",
                .get,
                [],
                from: "https://app.example.com/",
                [.portico: "1"]
            )
            #expect(reply.status == 200, "\(reply.text.prefix(200))")
            #expect(reply.text.contains(#""of":"person-1""#))
            #expect(reply.text.contains(#""authorization":"DPoP "#))
        }
        // The key is stored with the refresh token, and its nonce remembered.
        #expect(fake.count(.refresh) == 1 && fake.count(.api) == 2)
        #expect(!server.log.contains("DPoP "))
    }
}

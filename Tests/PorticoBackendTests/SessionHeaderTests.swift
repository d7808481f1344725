import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

/// A service behind a proxy believes these headers (docs/nginx.md).
@Suite("What a proxy's question about a session is told in headers") struct SessionHeaderTests {
    private static func field(_ name: String, _ reply: Reply) throws -> String? {
        reply.headers[try #require(HTTPField.Name(name))]
    }

    @Test(
        "WEB-BFF-9: person, session, address and whether it is proven, as in the body",
        arguments: [
            ("google", StandInPerson.ann, "ann@example.com", "true"),
            ("keycloak", .uma, "ann@example.com", "false"), ("facebook", .paul, nil, nil),
        ] as [(String, StandInPerson, String?, String?)]
    )
    func headers(
        _ provider: String,
        _ person: StandInPerson,
        _ email: String?,
        _ isVerified: String?
    ) async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn(provider, as: person)
        let reply = try await visitor.session()
        let user = try #require(reply.json.object("user"))
        #expect(try Self.field("X-Portico-User", reply) == user.string("id"))
        #expect(
            try Self.field("X-Portico-Session", reply)
                == reply.json.object("session")?.string("id")
        )
        #expect(try Self.field("X-Portico-Email", reply) == email)
        #expect(user.string("email") == email)
        #expect(try Self.field("X-Portico-Email-Verified", reply) == isVerified)
        #expect(user.bool("email_verified") == (isVerified == "true"))
        // In a browser it is no app's session.
        #expect(try Self.field("X-Portico-App", reply) == nil)
    }

    @Test("An address that a header cannot hold is in the body only, and so is what is said of it")
    func unwritable() async throws {
        let server = try await BackendUnderTest()
        server.standIns.configure(.openID) {
            $0.profile = ["email": "änn@example.com"]
            $0.idToken = [.claim("email", "änn@example.com")]
        }
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("keycloak", as: .ann)
        let reply = try await visitor.session()
        #expect(reply.json.object("user")?.string("email") == "änn@example.com")
        #expect(try Self.field("X-Portico-Email", reply) == nil)
        #expect(try Self.field("X-Portico-Email-Verified", reply) == nil)
        #expect(try Self.field("X-Portico-User", reply) != nil)
    }
}

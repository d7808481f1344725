import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("A code that proves a mailbox") struct EmailCodeTests {
    private static func started(
        _ server: BackendUnderTest,
        as person: StandInPerson = .ben,
        _ address: String = "new@example.org"
    ) async throws -> (visitor: TestVisitor, code: String) {
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: person)
        try await server.proveSessions()
        let reply = try await visitor.program(.post, "/v1/account/email", [("email", address)])
        #expect(reply.status == 200)
        #expect(reply.json.int64("expires_in") == 600)
        return (visitor, try #require(try await server.mailedCode()))
    }

    private static func confirm(_ visitor: TestVisitor, _ code: String) async throws -> Reply {
        try await visitor.program(.post, "/v1/account/email/confirm", [("code", code)])
    }

    @Test("The code that was mailed makes the address the account's, verified, and counts once")
    func confirmed() async throws {
        let server = try await BackendUnderTest()
        let (visitor, code) = try await Self.started(server)
        // Blanks that were copied along do no harm.
        #expect(
            try await Self.confirm(visitor, " \(code.prefix(3)) \(code.suffix(3))").status == 200
        )
        let user = try await server.user(of: visitor)
        #expect(user.string("email") == "new@example.org")
        #expect(user.bool("email_verified") == true)
        #expect(try await Self.confirm(visitor, code).json.string("error") == "invalid_grant")
    }

    @Test("Five wrong codes spend it, and every refusal is the same answer")
    func tries() async throws {
        let server = try await BackendUnderTest()
        let (visitor, code) = try await Self.started(server)
        let wrong = BackendUnderTest.otherCode(than: code)
        var answers: Set<String> = []
        for _ in 0..<5 { answers.insert(try await Self.confirm(visitor, wrong).text) }
        answers.insert(try await Self.confirm(visitor, code).text)
        answers.insert(try await Self.confirm(visitor, "not a code").text)
        #expect(answers.count == 1)
        #expect(try await server.user(of: visitor).string("email") == "ben@example.org")
    }

    @Test("The fourth wrong code leaves one try")
    func fourTries() async throws {
        let server = try await BackendUnderTest()
        let (visitor, code) = try await Self.started(server)
        for _ in 0..<4 {
            _ = try await Self.confirm(visitor, BackendUnderTest.otherCode(than: code))
        }
        #expect(try await Self.confirm(visitor, code).status == 200)
    }

    @Test("A code is good for ten minutes")
    func late() async throws {
        let server = try await BackendUnderTest()
        let (visitor, code) = try await Self.started(server)
        server.clock.advance(by: 601)
        #expect(try await Self.confirm(visitor, code).status == 400)
        #expect(try await server.user(of: visitor).string("email") == "ben@example.org")
    }

    @Test("A code is good for the account it was asked for, and for no other")
    func otherAccount() async throws {
        let server = try await BackendUnderTest()
        let (_, code) = try await Self.started(server)
        let other = TestVisitor(server)
        _ = try await other.signIn("google", as: .layla)
        #expect(try await Self.confirm(other, code).status == 400)
        #expect(try await server.user(of: other).string("email") == "layla@example.com")
    }

    @Test(
        "An address that another account has verified stays there, and is told only to who has the code"
    )
    func taken() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let (visitor, code) = try await Self.started(server, "ann@example.com")
        #expect(try await Self.confirm(visitor, code).status == 409)
        #expect(try await server.user(of: visitor).string("email") == "ben@example.org")
    }

    @Test(
        "What is no address that mail can be sent to is refused, and nothing is mailed",
        arguments: ["", "ben", "ben@example.org\r\nBcc: eve@example.org", "a b@example.org"]
    )
    func noAddress(_ address: String) async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let reply = try await visitor.program(.post, "/v1/account/email", [("email", address)])
        #expect(reply.status == 400)
        #expect(try await server.mailedCode() == nil)
    }

    @Test("WEB-CRYPT-2: of a mailed code the database keeps nothing that gives it away")
    func kept() async throws {
        let server = try await BackendUnderTest()
        let (_, code) = try await Self.started(server)
        let kept = try server.database.keptConfirmations()
        #expect(kept.count == 1)
        #expect(code.utf8.count == 6 && kept[0].hash.count == 32)
        #expect(!kept[0].isPlain(code))
    }
}

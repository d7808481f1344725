import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// How an answer comes is part of what was asked: `response_mode`.
@Suite("A callback takes the method that was asked for") struct CallbackMethodTests {
    /// A browser that has chosen Ann at the provider, and what it brings back.
    private static func returning(_ provider: String, _ server: BackendUnderTest) async throws -> (
        visitor: TestVisitor, answer: [(String, String)]
    ) {
        let visitor = TestVisitor(server)
        let page = try await visitor.open("/v1/auth/\(provider)")
        let form = try #require(HTMLForm.all(in: page.reply.text).first)
        let reply = try await visitor.request(
            "http://localhost:9000" + form.action,
            .post,
            form.hidden + [("person", "ann")],
            from: page.url
        )
        guard let location = reply.location else {
            // The page that posts the answer.
            let posting = try #require(HTMLForm.all(in: reply.text).first)
            return (visitor, posting.hidden)
        }
        let query = location.split(separator: "?", maxSplits: 1)[1].prefix { $0 != "#" }
        return (visitor, try FormParameters(decoding: query.utf8).all.map { ($0.name, $0.value) })
    }

    @Test(
        "OAuth 2.0 Form Post Response Mode §2: what was to come by a redirect is not taken from a form",
        arguments: ["google", "facebook", "keycloak"],
        ["callback", "callback/link"]
    )
    func posted(_ provider: String, _ path: String) async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning(provider, server)
        let reply = try await visitor.request(
            "/v1/auth/\(provider)/\(path)",
            .post,
            answer,
            from: "http://localhost:9000/"
        )
        #expect(reply.status == 405)
        #expect(reply.headers[.allow] == "GET")
        #expect(try await server.accounts().isEmpty)
        // Nothing of the attempt is lost.
        let address = FormEncoding.appending(
            answer.map { (name: $0.0, value: $0.1) },
            to: "/v1/auth/\(provider)/callback"
        )
        #expect(try await visitor.open(address).reply.status == 200)
        #expect(try await server.accounts().count == 1)
    }

    @Test(
        "OAuth 2.0 Form Post Response Mode §2: what was to be posted is not taken from an address"
    )
    func byAddress() async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning("apple", server)
        let address = FormEncoding.appending(
            answer.map { (name: $0.0, value: $0.1) },
            to: "/v1/auth/apple/callback"
        )
        let page = try await visitor.open(address)
        #expect(page.reply.status == 400)
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await server.accounts().isEmpty)
        #expect(server.standIns.log.count(.token, at: .apple) == 0)
        let posted = try await visitor.open(
            "/v1/auth/apple/callback",
            method: .post,
            form: answer,
            from: "http://localhost:9000/"
        )
        #expect(posted.path == "/onboarding")
    }

    @Test("attack E09: an answer posted to one provider is not carried to another's callback")
    func carried() async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning("google", server)
        let sealed = try await visitor.request(
            "/v1/auth/apple/callback",
            .post,
            answer,
            from: "http://localhost:9000/"
        )
        let location = try #require(sealed.location)
        let carried = location.replacing("/apple/", with: "/google/")
        #expect(try await visitor.open(carried).reply.status == 400)
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await server.accounts().isEmpty)
    }

    @Test(
        "a HEAD request to a callback spends nothing",
        arguments: [true, false]
    )
    func head(_ isLink: Bool) async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning("google", server)
        let path = "/v1/auth/google/callback"
        let query = answer.map { (name: $0.0, value: $0.1) }
        let looked = try await visitor.request(
            FormEncoding.appending(query, to: isLink ? path + "/link" : path),
            .head
        )
        #expect(looked.status == 405)
        #expect(server.standIns.log.count(.token, at: .google) == 0)
        let back = try await visitor.open(FormEncoding.appending(query, to: path))
        #expect(back.path == "/onboarding")
    }
}

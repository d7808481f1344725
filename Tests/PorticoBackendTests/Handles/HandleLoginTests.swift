import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// What `/login` sends on to a host, and what it keeps to itself.
@Suite struct HandleLoginTests {
    @Test(
        "/login: prompt reaches the host where its value is known, and not otherwise",
        arguments: [
            ("login", "login"), ("select_account", "select_account"), ("consent", "consent"),
            ("create", "create"), ("none", nil), ("x", nil), ("login consent", nil),
        ] as [(String, String?)]
    )
    func prompt(_ asked: String, _ pushed: String?) async throws {
        let server = try await BackendUnderTest.withHandles()
        let begun = try await TestVisitor(server).begin("ann.example.com", [("prompt", asked)])
        #expect(begun.status == 302)
        let push = try #require(server.hosts.asked.last)
        #expect(push.path == "/oauth/par")
        #expect(push.form["prompt"] == pushed)
    }

    @Test("/login: a browser that began with JSON comes back to its attempt")
    func json() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let begun = try await visitor.open(
            "/login?handle=ann.example.com",
            headers: [.accept: "application/json"]
        )
        let address = try #require(begun.reply.json.string("authorizationUrl"))
        let back = try await visitor.request(server.hosts.approve(address, as: .ann))
        #expect(back.location == "/dashboard")
    }

    @Test("The page that asks: where the directory of DIDs is away, it is the one that is named")
    func directory() async throws {
        let server = try await BackendUnderTest.withHandles()
        server.hosts.setAway("plc.directory")
        let page = try await TestVisitor(server).begin(TestHosts.Person.cat.did)
        #expect(page.status == 503)
        let words = page.text.replacing(/<[^>]*>/, with: "")
        #expect(words.contains("plc.directory isn’t answering"), "\(words)")
    }

    @Test("Decision 0027: a handle that is not found is logged, and what is mistyped is not")
    func told() async throws {
        let server = try await BackendUnderTest.withHandles()
        func failures() -> [Substring] {
            server.log.split(separator: "\n").filter { $0.contains("event=handle.failed") }
        }
        for mistyped in ["a b.c", "ann"] {
            #expect(try await TestVisitor(server).begin(mistyped).status == 400)
        }
        #expect(failures().isEmpty)
        #expect(try await TestVisitor(server).begin("missing.example.com").status == 404)
        let told = failures()
        #expect(told.count == 1, "\(told)")
        #expect(told.first?.contains("why=not_found") == true, "\(told)")
    }

    @Test("Decision 0027: the log names the host that refuses, and its reason in a known word")
    func details() async throws {
        let server = try await BackendUnderTest.withHandles()
        // Who refuses is not the host of the account, but where it has its sign-in.
        server.hosts.setIssuer(of: "pds.example.com", "other.example.com")
        func last() -> Substring {
            server.log.split(separator: "\n").last { $0.contains("event=handle.failed") } ?? ""
        }
        func failure(by fault: TestHosts.Fault) async throws -> Substring {
            server.hosts.set(fault)
            #expect(try await TestVisitor(server).begin("ann.example.com").status >= 500)
            return last()
        }
        for (fault, error) in [
            (.refusesClient, "invalid_client"), (.refuses("invalid_scope"), "invalid_scope"),
            (.refuses("invalid_client_metadata"), "invalid_client_metadata"),
        ] as [(TestHosts.Fault, String)] {
            let line = try await failure(by: fault)
            #expect(line.contains("why=without_sign_in"), "\(line)")
            #expect(line.contains("step=start"), "\(line)")
            #expect(line.contains("host=other.example.com"), "\(line)")
            #expect(line.contains("error=\(error)"), "\(line)")
        }
        for foreign in ["evil_word", "x\"\nevil", "x error=evil", "Invalid_scope"] {
            let line = try await failure(by: .refuses(foreign))
            #expect(line.contains("host=other.example.com"), "\(line)")
            #expect(!line.contains("error="), "\(line)")
        }
        #expect(!server.log.contains("evil") && !server.log.contains("Invalid_scope"))
        let broken = try await failure(by: .serverError)
        #expect(broken.contains("why=unreachable") && broken.contains("host=other.example.com"))
        #expect(!broken.contains("error="), "\(broken)")
        // When a code is redeemed, too.
        server.hosts.set(nil)
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com")
        let path = try server.hosts.approve(begun.location, as: .ann)
        server.hosts.set(.refusesClient)
        _ = try await visitor.request(path)
        let late = last()
        #expect(late.contains("step=code") && late.contains("host=other.example.com"), "\(late)")
        #expect(late.contains("error=invalid_client"), "\(late)")
    }

    @Test("Decision 0027: the log names a host that is away")
    func awayHost() async throws {
        let server = try await BackendUnderTest.withHandles()
        server.hosts.setAway("pds.example.com")
        #expect(try await TestVisitor(server).begin("ann.example.com").status == 503)
        let line = try #require(
            server.log.split(separator: "\n").last { $0.contains("event=handle.failed") }
        )
        #expect(line.contains("why=unreachable") && line.contains("host=pds.example.com"))
        #expect(!line.contains("error="), "\(line)")
    }

    @Test("/mobile-auth: the way to the other methods keeps the way back, and ticks no box")
    func otherMethods() async throws {
        let server = try await BackendUnderTest.withHandles()
        let page = try await TestVisitor(server).open("/mobile-auth?return_to=/reports")
        let link = try #require(
            page.reply.text.firstMatch(of: /href="(\/login\?return_to=[^"]*)"/)
        )
        #expect(link.1 == "/login?return_to=%2Freports")
    }
}

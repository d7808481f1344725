import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

/// What the database cannot do now, or at all.
private struct Full: Error {}

@Suite("A backend that cannot do the work now") struct UnavailableTests {
    @Test("RFC 9110 §15.6.4: a busy database is 503 with Retry-After, for people and for apps")
    func busy() async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let page = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(page.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let tokens = try await app.redeem(String(code), at: server)
        let refresh = [("refresh_token", tokens.json.string("refresh_token") ?? "")]
        let visitor = TestVisitor(server)
        let chooser = try await visitor.open("/v1/auth/google")

        server.database.refuseWrites(StoreBusy())
        let ofApp = try await server.post("/v1/auth/refresh", refresh)
        #expect(ofApp.status == 503)
        #expect(ofApp.headers[.retryAfter] != nil)
        #expect(ofApp.json.string("error") == "busy")
        let ofPerson = try await visitor.choose(.ann, at: chooser, "google")
        #expect(ofPerson.reply.status == 503)
        #expect(ofPerson.reply.headers[.retryAfter] != nil)
        #expect(ofPerson.reply.text.contains("<html"))
        #expect(!server.log.contains("unexpected"))

        server.database.refuseWrites(nil)
        #expect(try await server.post("/v1/auth/refresh", refresh).status == 200)
    }

    @Test("decision 0112: where nothing can be written, people and apps are told so with 503")
    func fullDisk() async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let start = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(start.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let visitor = TestVisitor(server)
        let chooser = try await visitor.open("/v1/auth/google")
        server.database.refuseWrites(SQLError(.full, code: 13))
        let ofApp = try await app.redeem(String(code), at: server)
        #expect(ofApp.status == 503 && ofApp.json.string("error") == "busy")
        #expect(ofApp.json.string("message") == "The server cannot save anything now.")
        #expect(ofApp.headers[.retryAfter] == "60")
        let ofPerson = try await visitor.choose(.ann, at: chooser, "google")
        #expect(ofPerson.reply.status == 503)
        #expect(ofPerson.reply.text.contains("We can’t save anything right now"))
        #expect(!server.log.contains("unexpected"))
        server.database.refuseWrites(nil)
        #expect(try await app.redeem(String(code), at: server).status == 200)
    }

    @Test("WEB-ERR-1: an error of ours is 500 without a word of its cause, which the log has")
    func broken() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        let chooser = try await visitor.open("/v1/auth/google")
        server.database.refuseWrites(Full())
        let page = try await visitor.choose(.ann, at: chooser, "google")
        #expect(page.reply.status == 500)
        #expect(!page.reply.text.contains("Full"))
        let found = server.log.split(separator: "\n").first { $0.contains("unexpected error") }
        let line = try #require(found)
        #expect(line.contains("kind=Full"))
        // The person reads it out, and the operator finds the line by it.
        let reference = try #require(line.firstMatch(of: /request=([A-Z0-9]{10})/)).1
        #expect(page.reply.text.contains(reference))
    }
}

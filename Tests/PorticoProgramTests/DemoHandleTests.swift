import Foundation
import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("serve --demo, signing in by handle") struct DemoHandleTests {
    private static let ann = "ann.handles.test"
    private static let call: HTTPFields = {
        var fields = HTTPFields()
        if let name = HTTPField.Name("X-Portico") { fields[name] = "1" }
        return fields
    }()

    private func signIn(_ person: WebPerson, _ typed: String, at server: DemoServer) async throws
        -> Reply
    {
        // Nothing says whose link it is, so the name of the host comes first.
        let host = try await person.get("\(server.url)/login?handle=\(typed)")
        let page = try await person.get(server.url + (try #require(host.button)))
        let question = try await person.submit(
            page,
            from: server.host,
            [("username", Self.ann), ("password", server.handles[Self.ann] ?? "")]
        )
        return try await person.submit(question, from: server.host, [("action", "allow")])
    }

    /// What the person's host says of them, by way of the server.
    private func handle(_ person: WebPerson, at server: DemoServer) async throws -> String? {
        let address = "\(server.url)/xrpc/com.atproto.server.getSession"
        return try await person.get(address, with: Self.call).json.string("handle")
    }

    @Test("who is printed signs in, without a network; the next start knows them still")
    func again() async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        #expect(Set(first.handles.keys) == [Self.ann, "bob.handles.test"])
        let person = WebPerson()
        let end = try await signIn(person, Self.ann, at: first)
        #expect(end.text.contains("You’re signed in"), "\(end.text)")
        let session = try await person.get(first.url + "/api/auth/session")
        #expect(session.json.string("handle") == Self.ann)
        #expect(try await handle(person, at: first) == Self.ann)
        try await first.stop()

        let port = first.port
        let second = try await DemoServer(
            in: portico,
            arguments: ["--listen", "127.0.0.1:\(port)"]
        )
        #expect(second.host == first.host)
        #expect(second.handles[Self.ann] != first.handles[Self.ann])
        #expect(try await handle(person, at: second) == Self.ann)
        let other = WebPerson()
        let did = try #require(session.json.string("did"))
        #expect(try await signIn(other, did, at: second).text.contains("You’re signed in"))
        for one in [person, other] { try await one.close() }
        try await second.stop()
    }

    @Test("sid.days: the cookie of who signs in by handle lasts as long")
    func days() async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(in: portico, arguments: ["--sid-days", "3"])
        let person = WebPerson()
        let end = try await signIn(person, Self.ann, at: server)
        #expect(end.text.contains("You’re signed in"), "\(end.text)")
        let field = try #require(person.field(ofCookie: "sid", of: "127.0.0.1"))
        #expect(field.contains("Max-Age=259200;"), "\(field.drop { $0 != ";" })")
        try await person.close()
    }

    @Test("names that no one has, and bare ones, are answered without the DNS")
    func names() async throws {
        let server = try await DemoServer()
        let person = WebPerson()
        let nobody = try await person.get("\(server.url)/login?handle=nobody.handles.test")
        #expect(nobody.status == 404)
        let text = nobody.text
        #expect(text.contains("We can’t find") && text.contains("nobody.handles.test"))
        let bare = try await person.get("\(server.url)/login?handle=bob")
        #expect(bare.text.contains("Did you mean bob.handles.test?"))
        try await person.close()
    }

    @Test("another port is found where the host's is taken, and the realm is made again there")
    func otherPort() async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        try await first.stop()
        let port = try #require(first.host.split(separator: ":").last.flatMap { UInt16($0) })
        let taken = try #require(RawSocket.listen(port: port))
        defer { RawSocket.close(taken.socket) }
        let second = try await DemoServer(in: portico)
        #expect(second.host != first.host)
        let person = WebPerson()
        let end = try await signIn(person, Self.ann, at: second)
        #expect(end.text.contains("You’re signed in"), "\(end.text)")
        try await person.close()
        try await second.stop()
    }

    @Test("a host that another public URL gives another name says so, and does not blame a program")
    func otherName() async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        try await first.stop()
        let place = ["--realm", "handles", "--data-directory", "demo"]
        try portico.done(
            ["client", "create", "mine", "--redirect-uri", "com.example.mine:/callback"] + place
        )
        let address = String(first.url.dropFirst("http://".utf8.count))
        let port = try #require(address.split(separator: ":").last)
        let refused = try portico.run([
            "serve", "--demo", "--listen", address, "--public-url", "http://localhost:\(port)",
            "--data-directory", "demo",
        ])
        #expect(refused.status == 6 && refused.stderr.contains("client mine"), "\(refused.stderr)")
        #expect(!refused.stderr.contains("Another program"), "\(refused.stderr)")
        let serving = "portico serve --listen \(address) --public-url \(first.url)"
        #expect(refused.stderr.contains(serving), "\(refused.stderr)")
        let again = try await DemoServer(in: portico, arguments: ["--listen", address])
        #expect(again.host == first.host)
        try await again.stop()
        #expect(try portico.run(["client", "list"] + place).stdout.contains("mine"))
    }

    @Test("what a demo left behind is no host for commands, where no demo was")
    func unmarked() async throws {
        let portico = try PorticoProcess()
        let demo = try await DemoServer(in: portico)
        let place = ["--data-directory", "demo"]
        try portico.done(["provider", "test", "atproto"] + place)
        try await demo.stop()
        try FileManager.default.removeItem(at: portico.home.appending(path: "demo/demo"))
        let test = try portico.run(["provider", "test", "atproto"] + place)
        #expect(test.status != 0)
        #expect(test.stdout.contains("directory"), "\(test.stdout)")
    }
}

import Foundation
import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

/// A running `portico serve --demo`.
struct DemoServer {
    let portico: PorticoProcess
    let running: PorticoProcess.Running
    let url: String
    let passwords: [String: String]
    /// Of people with a handle, by that.
    let handles: [String: String]
    /// Their host.
    let host: String

    var issuer: String { "\(url)/realms/demo" }
    var port: UInt16 { url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    /// Stops it, and waits until it has ended.
    func stop() async throws {
        running.process.terminate()
        #expect(try await running.ended() == 0)
    }

    /// - Parameter portico: `nil`: with a home of its own.
    init(in portico: PorticoProcess? = nil, arguments: [String] = []) async throws {
        let portico = try portico ?? PorticoProcess()
        self.portico = portico
        running = try portico.start(
            ["serve", "--demo", "--listen", "127.0.0.1:0", "--data-directory", "demo"] + arguments
        )
        // The whole line: the passwords stand above it.
        _ = try await running.wait(forOutput: /Try +\S+ login --issuer \S+ --client-id \S+\n/)
        let text = running.stdout
        let first = try #require(text.firstMatch(of: /listening on (http:\/\/127\.0\.0\.1:\d+)/))
        url = String(first.1)
        passwords = Dictionary(
            text.matches(of: /Password +(\w+)  (\S+)/).map { (String($0.1), String($0.2)) }
        ) { first, _ in first }
        handles = Dictionary(
            text.matches(of: /Password +(\w+\.\S+)  (\S+)/).map { (String($0.1), String($0.2)) }
        ) { first, _ in first }
        host = String(try #require(text.firstMatch(of: /the host: (\S+)/)).1)
    }

    /// `portico login` with a person at the browser.
    func login(_ name: String, _ arguments: [String] = []) async throws -> PorticoProcess.Running {
        let login = try portico.start(
            ["login", "--issuer", issuer, "--no-browser", "--timeout", "60s"] + arguments
        )
        let address = try await login.wait(forErrors: /http:\/\/\S+code_challenge_method=S256/)
        let person = WebPerson()
        _ = try await person.signIn(at: address, name, passwords[name] ?? "")
        try await person.close()
        return login
    }
}

/// A running `portico serve` with data of its own: wired as in production.
struct EarnestServer {
    let portico: PorticoProcess
    let running: PorticoProcess.Running
    /// Where it listens, whatever its public URL is.
    let port: UInt16

    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - portico: `nil`: with a home of its own.
    ///   - port: 0 for one that is free.
    init(
        in portico: PorticoProcess? = nil,
        _ arguments: [String] = [],
        port: UInt16 = 0,
        environment: [String: String] = [:],
        longestFile: Int? = nil,
        openFiles: String? = nil,
        hosts: String? = nil
    ) async throws {
        let portico = try portico ?? PorticoProcess()
        self.portico = portico
        running = try portico.start(
            ["serve", "--listen", "127.0.0.1:\(port)"] + arguments,
            environment: environment,
            longestFile: longestFile,
            openFiles: openFiles,
            hosts: hosts
        )
        let line = try await running.wait(forOutput: /Portico is listening on .*\n/)
        let address = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/))
        self.port = try #require(UInt16(address.1))
    }

    /// Stops it, and waits until it has ended.
    func stop() async throws {
        running.process.terminate()
        #expect(try await running.ended() == 0)
    }

    /// One request, on a connection of its own. Redirects are not followed.
    func request(
        _ method: String = "GET",
        _ path: String,
        _ fields: [String] = [],
        body: String = "",
        host: String? = nil
    ) async throws -> RawExchange {
        var lines = [
            "\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")",
            "Connection: close",
        ]
        lines += fields
        if method == "POST" {
            lines += [
                "Content-Type: application/x-www-form-urlencoded",
                "Content-Length: \(body.utf8.count)",
            ]
        }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
        let port = port
        return try #require(await RawExchange.run { RawExchange(text, port: port) })
    }

    /// Runs a command on the server's data, as the operator does meanwhile.
    @discardableResult
    func command(_ arguments: [String], input: String = "") throws -> String {
        try portico.done(arguments, input: input)
    }

    @discardableResult
    func command(_ line: String, input: String = "") throws -> String {
        try portico.done(line, input: input)
    }

    /// Waits until the server has seen what a command changed.
    func wait(until isSeen: () async throws -> Bool) async throws {
        for _ in 0..<200 {
            if try await isSeen() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("the server did not see it in time:\n\(running.stderr)")
    }

    static let password = "correct horse battery staple"

    /// Makes the realm `acme` with Ann in it, and waits until the server serves it.
    ///
    /// - Parameter client: What is to be said of its client `shop`, beside its name.
    func makeRealm(client: [String] = ["--template", "cli"], secret: String? = nil) async throws {
        try command(["realm", "create", "acme", "--public-url", url])
        try command(["client", "create", "shop"] + client, input: secret ?? "")
        try command(
            "user create ann --email ann@example.com --email-verified --password-file -",
            input: Self.password
        )
        // What comes last is seen last: then the client is known, too.
        let last = "/realms/last/.well-known/openid-configuration"
        try command(["realm", "create", "last", "--public-url", url])
        try await wait { try await request("GET", last).status == 200 }
        try command(["realm", "delete", "last", "--confirm", "last"])
    }

    /// An authorization request of the client `shop`.
    func authorization(to redirectURI: String) -> String {
        let request = TestFlow.request("shop", [("redirect_uri", redirectURI)])
        return url + "/realms/acme/protocol/openid-connect/auth?" + Self.form(request)
    }

    static func form(_ parameters: [(String, String)]) -> String {
        var parts = URLComponents()
        parts.queryItems = parameters.map { URLQueryItem(name: $0.0, value: $0.1) }
        return parts.percentEncodedQuery ?? ""
    }
}

extension RawExchange {
    /// A request on a connection of its own, to this machine.
    static func get(
        _ path: String,
        host: String? = nil,
        port: UInt16,
        _ fields: [String] = []
    ) async -> RawExchange? {
        let lines = [
            "GET \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close",
        ]
        let text = (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
        return await run { RawExchange(text, port: port) }
    }
}

/// Passes requests on to a server on a port of this machine, under the name that it knows itself by: as
/// a proxy would that takes TLS off.
struct NamedServer: Responder {
    let name: String
    private let transport: GuardedTransport

    init(_ name: String, port: UInt16) {
        self.name = name
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(port),
            isPlain: true
        )
        transport = GuardedTransport(connectTo: [name: target])
    }

    /// Of the connection, or made anew for it.
    private static let ownFields: [HTTPField.Name] = [
        .connection, .contentLength, .transferEncoding, .date,
    ]

    func respond(to request: Request) async -> Response {
        var head = HTTPRequest(
            method: request.method,
            scheme: "https",
            authority: name,
            path: request.head.path,
            headerFields: request.headers
        )
        for field in Self.ownFields { head.headerFields[field] = nil }
        do {
            let reply = try await transport.send(
                head,
                body: Array(request.body.readableBytesView),
                limits: HTTPLimits(bytes: 1 << 20, seconds: 10)
            )
            var fields = reply.response.headerFields
            for field in Self.ownFields { fields[field] = nil }
            return Response(status: reply.response.status, headers: fields, bytes: reply.body)
        } catch {
            return Response(status: .badGateway)
        }
    }
}

/// An OpenID provider on 127.0.0.1 of which commands ask metadata and keys, and which can be made to
/// answer wrongly.
final class LocalProvider: Sendable {
    /// What is wrong with it.
    enum Fault: Hashable, Sendable {
        case none
        case otherIssuer
        case noMetadata
        case failing
        case noPKCE
        case notJSON
        /// Its clock is that many seconds ahead of ours.
        case ahead(Double)
    }

    private let fault: Locked<Fault>
    private let server: LocalServer

    init() throws {
        let fault = Locked(Fault.none)
        self.fault = fault
        server = try LocalServer(takesBodies: true) { Self.answer($0, fault.withLock(\.self)) }
    }

    var issuer: String { "http://127.0.0.1:\(server.port)" }
    var requests: [String] { server.requests }

    func become(_ fault: Fault) {
        self.fault.withLock { $0 = fault }
    }

    private static func answer(_ request: String, _ fault: Fault) -> LocalServer.Answer {
        let host = request.firstMatch(of: /[Hh]ost: (\S+)/).map { String($0.1) } ?? ""
        var skew = 0.0
        if case .ahead(let seconds) = fault { skew = seconds }
        let date = "Date: \(Self.date(Date().addingTimeInterval(skew)))"
        let json = [date, "Content-Type: application/json"]
        if request.hasPrefix("POST /revoke ") { return LocalServer.reply("200 OK", [date]) }
        if request.hasPrefix("GET /keys ") {
            return LocalServer.reply("200 OK", json, #"{"keys":[]}"#)
        }
        switch fault {
        case .noMetadata: return LocalServer.reply("404 Not Found", [date])
        case .failing: return LocalServer.reply("500 Internal Server Error", [date])
        case .notJSON: return LocalServer.reply("200 OK", json, "<html>")
        default: break
        }
        let base = "http://\(host)"
        var metadata: JSONObject = [
            "issuer": .string(fault == .otherIssuer ? base + "/" : base),
            "authorization_endpoint": .string(base + "/auth"),
            "token_endpoint": .string(base + "/token"),
            "jwks_uri": .string(base + "/keys"),
            "revocation_endpoint": .string(base + "/revoke"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        ]
        if fault != .noPKCE { metadata["code_challenge_methods_supported"] = ["S256"] }
        let body = String(decoding: metadata.serialized(), as: UTF8.self)
        return LocalServer.reply("200 OK", json, body)
    }

    private static func date(_ date: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: date)
    }
}

/// What a command that looks for faults wrote with `--json`.
struct Found {
    let items: [JSONObject]
    let status: Int32

    init(_ outcome: PorticoProcess.Outcome) throws {
        let json = try outcome.json
        items = try #require(json.array("items")).compactMap(\.object)
        status = outcome.status
    }

    func all(_ result: String) -> [JSONObject] {
        items.filter { $0.string("result") == result }
    }

    /// Whether exactly one thing is wrong, and what is said of it.
    func expectProblem(
        _ text: String,
        fix: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let problems = all("problem")
        #expect(status == 10, sourceLocation: sourceLocation)
        #expect(problems.count == 1, "\(problems)", sourceLocation: sourceLocation)
        #expect(
            problems.first?.string("text")?.contains(text) == true,
            "\(problems)",
            sourceLocation: sourceLocation
        )
        #expect(
            problems.first?.string("fix")?.contains(fix) == true,
            "\(problems)",
            sourceLocation: sourceLocation
        )
    }
}

extension SignInEvent {
    /// A person signs in for the first time.
    ///
    /// - Parameter form: By default in a browser.
    init(
        _ key: IdentityKey,
        at provider: String,
        in realmID: String,
        name: String? = nil,
        email: String? = nil,
        token: String? = nil,
        form: PersonSession.Form? = nil,
        device: String = "",
        now: Int64
    ) {
        let random = RandomSource.system
        self.init(
            realmID: realmID,
            spending: [],
            identity: Identity(
                key: key,
                provider: provider,
                email: email.map { Mailbox(address: $0, verification: .authoritative) },
                linkedAt: now,
                lastUsedAt: now,
                sealedToken: token
            ),
            name: name,
            picture: nil,
            language: "en",
            emailRule: .never,
            isSignUpOpen: true,
            newPersonID: UniqueID(random: random).text,
            session: NewSession(
                id: UniqueID(random: random).text,
                form: form
                    ?? .browser(cookieHash: Hash256(of: random.bytes(16))),
                providerSessionID: nil,
                device: device,
                address: "192.0.2.7",
                idleSeconds: 86_400,
                expiresAt: now + 86_400
            ),
            userAgent: "Firefox",
            notice: nil
        )
    }
}

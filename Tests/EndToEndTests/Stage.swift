import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

/// `portico serve --demo` in a process of its own, and a folder for its user.
struct Stage {
    let server: RunningProgram
    let issuer: String
    /// Of ann.
    let password: String
    let passwordOfBob: String
    /// Where people with a handle have their accounts.
    let host: String
    let environment: [String: String]
    private let folder: URL
    private let transport = OutboundClient()

    /// Runs `body` with a stage of its own, which must come down in peace.
    ///
    /// - Parameter settings: Further options of `portico serve`.
    static func run(_ settings: [String] = [], _ body: (Stage) async throws -> Void) async throws {
        let stage = try await Stage(settings)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(stage))
        } catch {
            result = .failure(error)
        }
        try await stage.end()
        try result.get()
    }

    private init(_ settings: [String]) async throws {
        folder = Guardian.shared.folder
            .appending(path: "portico-walk-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let handOver = folder.appending(path: "system-browser")
        environment = [
            "XDG_DATA_HOME": folder.appending(path: "client").path,
            "XDG_CONFIG_HOME": folder.appending(path: "config").path,
            "HOME": folder.path, "NO_COLOR": "1", "BROWSER": handOver.path,
        ]
        // What the program starts as the system's browser hands the address to ours.
        let script = """
            #!/bin/sh
            printf %s "$1" > "\(folder.path)/opened.part"
            mv "\(folder.path)/opened.part" "\(folder.path)/opened"
            """
        try Data(script.utf8).write(to: handOver)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700],
            ofItemAtPath: handOver.path
        )
        server = try RunningProgram(
            [
                "serve", "--demo", "--listen", "127.0.0.1:0", "--data-directory",
                folder.appending(path: "server").path,
            ] + settings,
            environment: environment
        )
        issuer = try await server.match(#"(http://127\.0\.0\.1:\d+/realms/demo)"#)[1]
        password = try await server.match(#"Password +ann +(\S+)"#)[1]
        passwordOfBob = try await server.match(#"Password +bob +(\S+)"#)[1]
        host = try await server.match(#"the host: (http://localhost:\d+)"#)[1]
    }

    private func end() async throws {
        try await transport.shutdown()
        server.terminate()
        let status = try await server.end(within: 30)
        #expect(status == 0, "SIGTERM ends the server in peace; it said:\n\(server.lastWords)")
        try FileManager.default.removeItem(at: folder)
    }

    /// At ``host``.
    func password(of handle: String) async throws -> String {
        try await server.match("Password +\(handle) +(\\S+)")[1]
    }

    // MARK: The command line

    func portico(_ arguments: String...) async throws
        -> (status: Int32, stdout: String, stderr: String)
    {
        try await RunningProgram.run(arguments, environment: environment)
    }

    /// A command that administers the demo realm; the running server learns of it within a second.
    func administer(_ arguments: String...) async throws {
        try await administer(arguments: arguments)
    }

    func administer(arguments: [String]) async throws {
        let place = ["--realm", "demo", "--data-directory", folder.appending(path: "server").path]
        let result = try await RunningProgram.run(arguments + place, environment: environment)
        #expect(result.status == 0, "\(arguments): \(result.stderr)")
    }

    /// Changes the demo realm; the running server learns of it within a second.
    func updateRealm(_ options: String...) async throws {
        let place = ["--data-directory", folder.appending(path: "server").path]
        let result = try await RunningProgram.run(
            ["realm", "update", "demo"] + options + place,
            environment: environment
        )
        #expect(result.status == 0, "\(options): \(result.stderr)")
    }

    /// The six digits in the demonstration's mails; `nil` where there are none.
    func mailedCode() async throws -> String? {
        let outbox = try await get(issuer.replacing("/realms/demo", with: "/_outbox"))
        let page = outbox.text.components(separatedBy: "</style>").last ?? ""
        return page.firstMatch(of: /\b([0-9]{6})\b/).map { String($0.1) }
    }

    /// A file in the stage's folder.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = folder.appending(path: name)
        try Data(bytes).write(to: url)
        return url.path
    }

    /// Starts `portico login`, and opens what it opens in `browser`.
    func login(_ browser: Browser, _ arguments: String...) async throws -> RunningProgram {
        let login = try RunningProgram(
            ["login", "--issuer", issuer, "--client-id", "portico-cli", "--timeout", "60s"]
                + arguments,
            environment: environment
        )
        try await browser.open(try await opened())
        return login
    }

    /// What a program has opened in the system's browser, once.
    func opened() async throws -> String {
        let file = folder.appending(path: "opened")
        for _ in 0..<1000 {
            // `try?`: it is not there yet.
            if let address = try? String(contentsOf: file, encoding: .utf8) {
                try FileManager.default.removeItem(at: file)
                return address
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RunningProgram.TimedOut(description: "no browser was opened")
    }

    // MARK: HTTP

    func get(_ address: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, address, headers, [])
    }

    /// A form post to a path below the realm's OpenID Connect endpoints.
    func post(_ endpoint: String, _ form: [(String, String)], headers: HTTPFields = [:])
        async throws -> Reply
    {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await send(
            .post,
            issuer + "/protocol/openid-connect/" + endpoint,
            headers,
            FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
        )
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ text: String,
        _ headers: HTTPFields,
        _ body: [UInt8]
    ) async throws -> Reply {
        let address = try #require(HTTPAddress(text))
        var request = HTTPRequest(method, to: address)
        for field in headers { request.headerFields.append(field) }
        let reply = try await transport.send(
            request,
            body: body,
            limits: HTTPLimits(bytes: 1 << 20, seconds: 30)
        )
        return Reply(
            status: reply.response.status.code,
            headers: reply.response.headerFields,
            body: reply.body
        )
    }
}

/// What a person does on the pages.
extension Browser {
    func signIn(_ name: String, _ password: String) async throws {
        try await type(name, into: "#username")
        try await type(password, into: "#password")
        try await click("button[value=sign-in]")
    }
}

/// Browsers that the walks of a suite use one after the other: to start one takes as long as a walk.
final class SharedBrowsers: Sendable {
    /// Those of the suite that runs.
    @TaskLocal fileprivate static var current: SharedBrowsers?

    /// The one that waits for the next walk: one at a time, as WebKitGTK's driver has it.
    private let waiting = Locked<Waiting?>(nil)

    private struct Waiting {
        let browser: Browser
        let scripts: Bool
    }

    /// Runs `body` with a browser of one tab that holds no cookie of the server, nor of the stand-ins.
    ///
    /// The browser of a failed walk is not reused.
    ///
    /// - Parameter origin: The server's.
    static func use(
        _ kind: BrowserKind,
        scripts: Bool,
        at origin: String,
        _ body: (Browser) async throws -> Void
    ) async throws {
        let shared = try #require(current, "the suite lacks .sharesBrowsers")
        let browser = try await shared.take(kind, scripts)
        do {
            try await browser.closeOtherTabs()
            // Cookies are the host's, whatever the port. Of the stand-ins there are none, which have
            // another host.
            try await browser.open(origin + "/login")
            // A browser's own error page has no cookies: there would be none to forget.
            #expect(try await browser.run("return location.origin").string == origin)
            // WebKitGTK may still be keeping those of the answer.
            try await waitUntil("a browser without cookies") {
                try await browser.forgetCookies()
                return try await browser.cookies().isEmpty
            }
            try await body(browser)
        } catch {
            try? await browser.end()  // the walk's error says more
            throw error
        }
        shared.waiting.withLock { $0 = Waiting(browser: browser, scripts: scripts) }
    }

    private func take(_ kind: BrowserKind, _ scripts: Bool) async throws -> Browser {
        if let found = waiting.withLock({ $0.take() }) {
            if found.browser.kind == kind, found.scripts == scripts { return found.browser }
            try await found.browser.end()
        }
        return try await Browser.start(kind, scripts: scripts)
    }

    fileprivate func end() async throws {
        try await waiting.withLock { $0.take() }?.browser.end()
    }
}

/// A suite whose walks share browsers; it must be serialized.
struct BrowserSharing: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let shared = SharedBrowsers()
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await SharedBrowsers.$current.withValue(shared, operation: function)
            )
        } catch {
            result = .failure(error)
        }
        try await shared.end()
        try result.get()
    }
}

extension Trait where Self == BrowserSharing {
    static var sharesBrowsers: Self { BrowserSharing() }
}

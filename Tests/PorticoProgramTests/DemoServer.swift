import Foundation
import PorticoTestSupport
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

    init(in portico: PorticoProcess, arguments: [String] = []) async throws {
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

    /// Runs `body` with a demo of its own, and stops it.
    static func run(_ body: (DemoServer) async throws -> Void) async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(in: portico)
        try await body(server)
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

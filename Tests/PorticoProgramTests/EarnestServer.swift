import Foundation
import PorticoTestSupport
import Testing

/// A running `portico serve` with data of its own: wired as in production.
struct EarnestServer {
    let portico: PorticoProcess
    let running: PorticoProcess.Running
    /// Where it listens, whatever its public URL is.
    let port: UInt16

    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter port: 0 for one that is free.
    init(
        in portico: PorticoProcess,
        _ arguments: [String] = [],
        port: UInt16 = 0,
        environment: [String: String] = [:],
        longestFile: Int? = nil,
        openFiles: String? = nil,
        hosts: String? = nil
    ) async throws {
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

    /// Runs `body` with a server of its own, and stops it.
    static func run(
        _ arguments: [String] = [],
        _ body: (EarnestServer) async throws -> Void
    ) async throws {
        let portico = try PorticoProcess()
        let server = try await EarnestServer(in: portico, arguments)
        try await body(server)
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

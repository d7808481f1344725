import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

/// `portico serve` as the backend of apps and as the authorization server of a host of the AT Protocol,
/// whose accounts and records are at the stand-in. A test network leads the names to this machine.
struct HandleNetwork {
    static let backend = "app.handles.test"
    static let pds = "pds.handles.test"

    let portico: PorticoProcess
    let host: ATHost
    let log: RequestLog<ATHostCall>
    let names: TestNetwork
    let served: EarnestServer
    let tokens: TokenAnswers
    private let server: NamedServer

    /// Runs `body` with a network of its own.
    ///
    /// - Parameter app: The arguments of `client create`.
    static func run(
        app: [String] = ["posts", "--redirect-uri", "com.example.posts:/signed-in"],
        _ body: @escaping @Sendable (HandleNetwork) async throws -> Void
    ) async throws {
        try await withLoopbackListener { port, door in
            let portico = try PorticoProcess()
            let names = try prepare(portico, app, port)
            let served = try await EarnestServer(in: portico)
            let log = RequestLog<ATHostCall>()
            let host = try ATHost(baseURL: "https://\(pds)", hook: log.hook())
            let server = NamedServer(backend, port: served.port)
            let realm = NamedServer(pds, port: served.port)
            let tokens = TokenAnswers()
            door.stands(
                before: Responders(
                    backend: server,
                    host: host.responder(authorizationServer: realm),
                    tokens: tokens
                )
            )
            try await body(
                HandleNetwork(
                    portico: portico,
                    host: host,
                    log: log,
                    names: names,
                    served: served,
                    tokens: tokens,
                    server: server
                )
            )
        }
    }

    /// What an operator does before the first start.
    private static func prepare(_ portico: PorticoProcess, _ app: [String], _ port: Int) throws
        -> TestNetwork
    {
        let people = [ATHostPerson.ann, .bob]
        let names = [backend, pds] + people.map(\.handle)
        let lines = names.map { "  \($0): 127.0.0.1:\(port)" }
        let files = [
            "portico.yaml": "public-url: https://\(backend)\ntest-network: network.yaml\n",
            "network.yaml": (["hosts:"] + lines + ["plain: [\(names.joined(separator: ", "))]"])
                .joined(separator: "\n") + "\n",
        ]
        for (name, text) in files {
            try portico.write(text, to: name)
        }
        let users = people.map {
            [
                "user", "create", $0.handle, "--realm", "pds", "--did", $0.did, "--password-file",
                "-",
            ]
        }
        let commands = [
            ["provider", "add", "atproto", "--directory", "https://\(pds)"],
            ["client", "create", "--realm", "home"] + app
                + (app.contains("--hand-off") ? [] : ["--hand-off", "code"]),
        ]
        let realm = ["realm", "create", "pds", "--host", "https://\(pds)", "--atproto"]
        for command in [realm] + users + commands {
            let made = try portico.run(command, input: EarnestServer.password)
            try #require(made.status == 0, "\(command): \(made.stderr)")
        }
        return try TestNetwork(
            hosts: Dictionary(uniqueKeysWithValues: names.map { ($0, "127.0.0.1:\(port)") }),
            plain: names,
            texts: [:],
            authority: nil
        )
    }

    /// Ann signs in at the backend.
    func signIn() async throws -> WebPerson {
        let person = WebPerson(in: names)
        let address = "https://\(Self.backend)/login?handle=\(ATHostPerson.ann.handle)"
        _ = try await person.signIn(byHandle: address, of: .ann, EarnestServer.password)
        try await person.close()
        return person
    }

    /// Runs a command. The network answers from this process: the command must not hold its threads.
    func run(_ line: String, environment: [String: String] = [:]) async throws
        -> PorticoProcess.Outcome
    {
        let portico = portico
        return try await RawExchange.run {
            Result { try portico.run(line, environment: environment) }
        }.get()
    }

    /// Lets apps reach the backend at an address of this machine, for as long as `body` runs.
    ///
    /// - Parameter body: Is told that address.
    /// - Returns: The address, where no one is any more.
    func open(_ body: @escaping @Sendable (String) async throws -> Void) async throws -> String {
        let server = server
        return try await withLoopbackListener { port, door in
            door.stands(before: server)
            let address = "http://127.0.0.1:\(port)"
            try await body(address)
            return address
        }
    }

    /// What the host answers to posts, as tokens are asked for: it goes out, or waits.
    struct TokenAnswers: Sendable {
        let areHeld = Locked(false)
        let waiting = Locked(0)

        func pass() async {
            guard areHeld.withLock({ $0 }) else { return }
            waiting.withLock { $0 += 1 }
            while areHeld.withLock({ $0 }), !Task.isCancelled {
                // `try?`: the loop ends when the task does.
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    /// By the name that is asked.
    private struct Responders: Responder {
        let backend: NamedServer
        let host: ATHostResponder
        let tokens: TokenAnswers

        func respond(to request: Request) async -> Response {
            guard request.head.authority != backend.name else {
                return await backend.respond(to: request)
            }
            let response = await host.respond(to: request)
            if request.method == .post, response.status == .ok { await tokens.pass() }
            return response
        }
    }
}

extension WebPerson {
    /// Signs in by handle: at the backend's pages, if `address` leads there, and then at the host.
    ///
    /// - Returns: Where it ends: a page of the backend's, or a redirect to an app.
    func signIn(byHandle address: String, of person: ATHostPerson, _ password: String)
        async throws -> Reply
    {
        var page = try await get(address)
        if page.formAction == "/login" {
            let fields = page.hiddenFields + [(name: "handle", value: person.handle)]
            let query = fields.map { URLQueryItem(name: $0.name, value: $0.value) }
            page = try await get("https://\(HandleNetwork.backend)/login", query)
        }
        // The name of the host comes first, also where nothing says whose link it was.
        if let button = page.button, button.hasPrefix("/login?") {
            page = try await get("https://\(HandleNetwork.backend)\(button)")
        }
        let host = "https://\(HandleNetwork.pds)/"
        page = try await submit(
            page,
            from: host,
            [("username", person.handle), ("password", password)]
        )
        return try await submit(page, from: host, [("action", "allow")])
    }

    private func get(_ address: String, _ query: [URLQueryItem]) async throws -> Reply {
        var parts = try #require(URLComponents(string: address))
        parts.queryItems = query
        return try await get(try #require(parts.string))
    }
}

extension Reply {
    /// Where the page's first button leads that is a link.
    var button: String? {
        text.firstMatch(of: /href="([^"]*)" class="button"/)
            .map { String($0.1).replacing("&amp;", with: "&") }
    }
}

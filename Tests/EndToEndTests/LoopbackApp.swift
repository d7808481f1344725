import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// An app of the tests' own at the running server: its redirect URI is a loopback port that takes
/// down what arrives, and it holds in its hands what a library would keep from us.
struct LoopbackApp {
    let clientID: String
    private let stage: Stage
    private let receiver: LocalServer

    /// Registers the client, and waits until the server knows it.
    ///
    /// - Parameter onward: Where its redirect URI leads on to; `{port}` is its own.
    init(
        _ stage: Stage,
        _ clientID: String,
        _ options: [String] = [],
        leadingOnTo onward: String? = nil
    ) async throws {
        self.stage = stage
        self.clientID = clientID
        let place = Locked<UInt16>(0)
        receiver = try LocalServer(takesBodies: true) { request in
            if request.split(separator: " ").dropFirst().first == "/front" {
                return LocalServer.reply(
                    "200 OK",
                    ["Content-Type: text/html"],
                    "<!doctype html><title>Front</title>"
                )
            }
            if let onward {
                let port = place.withLock { "\($0)" }
                return LocalServer.reply(
                    "303 See Other",
                    ["Location: " + onward.replacing("{port}", with: port)]
                )
            }
            return LocalServer.reply(
                "200 OK",
                ["Content-Type: text/html"],
                "<!doctype html><title>Arrived</title>"
            )
        }
        let port = receiver.port
        place.withLock { $0 = UInt16(port) }
        try await stage.administer(
            arguments: [
                "client", "create", clientID, "--redirect-uri", "http://127.0.0.1/callback",
            ]
                + options
        )
        for _ in 0..<100 {
            let page = try await stage.get(address())
            if !page.text.contains("This app isn’t registered here") { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw RunningProgram.TimedOut(description: "the server does not learn of \(clientID)")
    }

    var redirectURI: String { "http://127.0.0.1:\(receiver.port)/callback" }

    /// Where a sign-in with this app begins.
    func address(_ changes: [(String, String)] = []) -> String {
        FormEncoding.appending(
            request(changes).map { (name: $0.0, value: $0.1) },
            to: stage.issuer + "/protocol/openid-connect/auth"
        )
    }

    func request(_ changes: [(String, String)] = []) -> [(String, String)] {
        TestFlow.request(
            clientID,
            scope: "openid profile email",
            [("redirect_uri", redirectURI)] + changes
        )
    }

    /// The parameters of the answer with this number, from 0, as soon as it is there.
    func answer(_ number: Int = 0) async throws -> [String: String] {
        for _ in 0..<3000 {
            let answers = receiver.requests.compactMap(Self.parameters)
            if answers.count > number { return answers[number] }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RunningProgram.TimedOut(description: "no answer \(number) has come")
    }

    /// A person signs in, in a browser that stays open until the answer arrives.
    ///
    /// - Returns: The code.
    func signIn() async throws -> String? {
        try await Browser.use(scripts: false) { browser in
            try await signIn(in: browser)
            return try await answer()["code"]
        }
    }

    /// The same in a browser that is open; the answer is on its way.
    func signIn(in browser: Browser) async throws {
        try await browser.open(address())
        try await browser.signIn("ann", stage.password)
    }

    private static func parameters(_ request: String) -> [String: String]? {
        let target = request.split(separator: " ").dropFirst().first ?? ""
        guard target.hasPrefix("/callback") else { return nil }
        let text =
            request.hasPrefix("POST")
            ? request.split(separator: "\r\n\r\n").last ?? ""
            : target.drop { $0 != "?" }.dropFirst()
        // `try?`: what is no form has no parameters, and the test says so.
        let form = try? FormParameters(decoding: text.utf8)
        return Dictionary((form?.all ?? []).map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Runs `body` with an app of `options` and a browser, in which no one is signed in.
    static func walk(
        _ clientID: String,
        _ options: [String] = [],
        leadingOnTo onward: String? = nil,
        scripts: Bool = true,
        _ body: (Stage, LoopbackApp, Browser) async throws -> Void
    ) async throws {
        try await Stage.run { stage in
            let app = try await LoopbackApp(stage, clientID, options, leadingOnTo: onward)
            try await Browser.use(scripts: scripts) { try await body(stage, app, $0) }
        }
    }

    // MARK: Tokens

    func redeem(_ code: String?, _ changes: [(String, String)] = []) async throws -> Reply {
        let form = TestFlow.redemption(
            code ?? "",
            clientID,
            [("redirect_uri", redirectURI)] + changes
        )
        return try await stage.post("token", form)
    }

    /// Whether UserInfo still takes the access token.
    func isAlive(_ tokens: Reply) async throws -> Bool {
        let token = tokens.json.string("access_token") ?? ""
        let reply = try await stage.get(
            stage.issuer + "/protocol/openid-connect/userinfo",
            headers: [.authorization: "Bearer " + token]
        )
        return reply.status == 200
    }
}

/// A desktop app that waits on a loopback port for its sign-in at the backend.
final class WaitingApp: Sendable {
    private let receiver: LocalServer
    let verifier = CodeVerifier(random: .system)

    init() throws {
        receiver = try LocalServer { _ in
            LocalServer.reply(
                "200 OK",
                ["Content-Type: text/html"],
                "<!doctype html><title>Arrived</title>"
            )
        }
    }

    private var query: [(name: String, value: String)] {
        [
            ("platform", "mobile"), ("app", "notes"), ("state", "app-state"),
            ("redirect_uri", "http://127.0.0.1:\(receiver.port)/callback"),
            ("code_challenge", verifier.challenge.text),
        ]
    }

    /// Where its sign-in begins.
    var login: String { FormEncoding.appending(query, to: "/login") }

    /// What came on its redirect last.
    var answer: [String: String] {
        guard let head = receiver.requests.last(where: { $0.hasPrefix("GET /callback?") }),
            let target = head.split(separator: " ").dropFirst().first,
            let query = target.split(separator: "?").last,
            // `try?`: what is no query has no parameters.
            let form = try? FormParameters(decoding: query.utf8)
        else { return [:] }
        return Dictionary(form.all.map { ($0.name, $0.value) }) { first, _ in first }
    }
}

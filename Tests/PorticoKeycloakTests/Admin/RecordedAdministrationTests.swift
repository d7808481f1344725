import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What a real Keycloak answered to scripts, asked of this server, in a folder outside the repository:
/// `TEST_KEYCLOAK_FIXTURES=FOLDER swift test --filter RecordedAdministrationTests`.
private let fixtures = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite(
    "The administration as it was recorded",
    .enabled(if: fixtures != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedAdministrationTests {
    /// The exchanges that are answered in another way, by their notes.
    private static let differences: [String: StaticString] = [
        "create client": "its redirect URI is a pattern (decision 49)",
        "create user, name of two letters": "a name may have two letters",
        "create user, bad e-mail and name": "one refusal at a time",
        "create user, unknown field": "without the place in the text",
        "list realms, brief": "no realm here has a name in HTML",
        "preflight": "204: no content is sent",
        "keys": "only what signs and verifies here",
        "key components": "components are not shown",
        "installation": "adapters are configured by hand",
        "registration access token": "there is no dynamic registration",
        "evaluate mappers": "not offered",
        "read user with profile metadata": "there is no user profile",
        "user profile": "there is no user profile",
        "credential label": "not offered",
        "offline sessions": "no one has signed in",
        "client's user sessions": "no one has signed in",
        "client's offline sessions": "no one has signed in",
        "client session stats": "no one has signed in",
        "impersonation": "no one signs in as someone else",
        "events": "no one has signed in", "events of a kind": "no one has signed in",
        "admin events": "what was sent is not kept", "flows": "this realm came with none",
        "partial-export": "not offered", "serverinfo": "not offered",
        // A password grant gave the person of the recording their sessions.
        "(a session for what follows)": "the password grant is off (RFC 9700 2.4)",
        "sessions": "no one has signed in", "consents": "no one has signed in",
        "revoke consent": "no one has signed in", "end session": "no one has signed in",
        "admin token: password grant of admin-cli, realm master": "no refresh token",
        "service account's token": "no client_id of another kind",
    ]

    private struct Exchange {
        let note: String
        let method: HTTPRequest.Method
        let target: String
        let headers: JSONObject
        let body: String
        let status: Int64
        let answer: JSONValue?
        let location: String?

        static let limits = JSONLimits(size: 1 << 22)

        init?(_ text: Substring) throws {
            let line = try JSONObject(parsing: Array(text.utf8), limits: Self.limits)
            guard let request = line.object("request"), let answer = line.object("answer"),
                let method = HTTPRequest.Method(request.string("method") ?? "")
            else { return nil }
            note = line.string("note") ?? ""
            self.method = method
            let url = request.string("url") ?? ""
            target = url.replacing("http://localhost:11111", with: "")
            headers = request.object("headers") ?? [:]
            switch request["body"] {
            case .string(let text): body = text
            case nil, .null: body = ""
            case let value?: body = String(decoding: value.serialized(), as: UTF8.self)
            }
            status = answer.int64("status") ?? 0
            // `try?`: long answers are cut in the recording; then only the status counts.
            self.answer = answer.string("body").flatMap {
                try? JSONValue(parsing: Array($0.utf8), limits: Self.limits)
            }
            location =
                answer.array("headers")?.first {
                    $0.array?.first?.string?.lowercased() == "location"
                }?.array?.last?.string
        }
    }

    /// What ids and secrets of the recording are here.
    private final class Names {
        private var values: [String: String] = [:]

        func learn(_ recorded: String, _ own: String) {
            if recorded.utf8.count > 8, recorded != own { values[recorded] = own }
        }

        func replace(_ text: String) -> String {
            values.reduce(text) { $0.replacing($1.key, with: $1.value) }
        }

        /// Learns ids of things of one name.
        func learn(_ recorded: JSONValue?, _ own: JSONValue?) {
            switch (recorded, own) {
            case (.object(let recorded)?, .object(let own)?):
                for name in ["id", "value"] {
                    if let one = recorded.string(name), let other = own.string(name) {
                        learn(one, other)
                    }
                }
                for (name, value) in recorded { learn(value, own[name]) }
            case (.array(let recorded)?, .array(let own)?):
                for value in recorded {
                    guard let name = Self.name(of: value) else { continue }
                    learn(value, own.first { Self.name(of: $0) == name })
                }
            default: break
            }
        }

        private static func name(of value: JSONValue) -> String? {
            let object = value.object
            return object?.string("clientId") ?? object?.string("username")
                ?? object?.string("name")
        }
    }

    /// The names of an answer's members, of all items where it is a list.
    private static func members(_ value: JSONValue?) -> Set<String>? {
        switch value {
        case .object(let object)?: Set(object.map(\.name))
        case .array(let values)?: values.reduce(into: []) { $0.formUnion(members($1) ?? []) }
        default: nil
        }
    }

    @Test("KC-A-2: recorded calls get the recorded status and members, or stand in the table")
    func replay() async throws {
        let root = URL(filePath: try #require(fixtures))
        let file = root.appending(path: "recordings/8-admin.keycloak.jsonl")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let admin = try await AdminUnderTest(hasMaster: true)
        try await admin.makeMaster("admin", password: "admin")
        let names = Names()
        var token = ""
        var account = ""
        var same = 0
        var different: [String] = []
        for line in lines {
            let exchange = try #require(try Exchange(line))
            var headers: HTTPFields = [:]
            for (name, value) in exchange.headers {
                if let field = HTTPField.Name(name), name != "Authorization" {
                    headers[field] = value.string
                }
            }
            if let shown = exchange.headers.string("Authorization") {
                let isAccount =
                    exchange.note.hasPrefix("service account w")
                    || exchange.note.hasPrefix("view-users") || exchange.note.hasPrefix("cross")
                headers[.authorization] =
                    shown.utf8.count < 20 ? shown : "Bearer \(isAccount ? account : token)"
            }
            var body = names.replace(exchange.body)
            if exchange.note == "create client" {
                body = body.replacing("https://app.example.com/*", with: "https://app.example.com/")
            }
            // Of the recording's own: no profile names it there, and it is dropped.
            body = body.replacing(/"attributes": ?\{"locale"[^}]*\}, ?/, with: "")
            // One that is guessed first.
            body = body.replacing("Secret-123", with: "Plenty-of-words")
            if exchange.target.contains("role-mappings") {
                // The list with this id is cut in the recording: a role is found by its name.
                let id = /"id": ?"[^"]*", ?(?="name": ?"(view|query)-users")/
                body = body.replacing(id, with: "")
            }
            let reply = try await admin.server.send(
                exchange.method,
                names.replace(exchange.target),
                headers: headers,
                body: Array(body.utf8)
            )
            if let made = reply.json.string("access_token") {
                if token.isEmpty { token = made } else { account = made }
            }
            if let recorded = exchange.location, let own = reply.location {
                names.learn(
                    String(recorded.split(separator: "/").last ?? ""),
                    String(own.split(separator: "/").last ?? "")
                )
            }
            // `try?`: an answer without JSON has no members.
            let answer = try? JSONValue(parsing: reply.body, limits: Exchange.limits)
            names.learn(exchange.answer, answer)
            let expected = Self.members(exchange.answer)
            let isSame =
                Int64(reply.status) == exchange.status
                && (expected == nil || expected == Self.members(answer))
            if isSame { same += 1 }
            guard !isSame, Self.differences[exchange.note] == nil else { continue }
            different.append(
                """
                \(exchange.note) | \(exchange.method) \(exchange.target) | \(exchange.status) but \
                \(reply.status) | missing \
                \((expected ?? []).subtracting(Self.members(answer) ?? []).sorted()) more \
                \((Self.members(answer) ?? []).subtracting(expected ?? []).sorted()) | \
                \(reply.text.prefix(200))
                """
            )
        }
        #expect(different.isEmpty, "\n\(different.joined(separator: "\n"))")
        print("\(same) of \(lines.count) exchanges are the same")
    }
}

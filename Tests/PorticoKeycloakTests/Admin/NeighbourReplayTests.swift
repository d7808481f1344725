import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What programs asked of a real Keycloak, asked of this server, from a folder outside the repository:
/// `TEST_KEYCLOAK_FIXTURES=FOLDER swift test --filter NeighbourReplayTests`.
private let fixtures = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite(
    "Neighbours as they were recorded",
    .enabled(if: fixtures != nil, "recordings from outside, to be looked at by hand")
)
struct NeighbourReplayTests {
    /// The requests that are answered with another status, by file and number, and why.
    private static let differences: [String: [Int64: StaticString]] = [
        "java-admin-client": [42: "a password has no label"],
        "npm-admin-client": [
            10: "its redirect URI is a pattern (decision 49)", 48: "a password has no label",
            86: "no token is shown that nobody got",
        ],
        "kcadm": [14: "a password that is guessed first", 24: "a password that is guessed first"],
    ]

    @Test(
        "KC-A-2: a neighbour's requests get Keycloak's statuses, or stand in the table",
        arguments: [
            "gocloak", "java-admin-client", "kcadm", "npm-admin-client", "opentofu",
            "terraform-resources",
        ]
    )
    func replay(name: String) async throws {
        let path = "recordings/neighbours/\(name).jsonl"
        let file = URL(filePath: try #require(fixtures)).appending(path: path)
        let admin = try await AdminUnderTest(hasMaster: true)
        let token = try await Self.root(of: admin)
        var ids = Ids()
        var different: [Int64: String] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let row = try JSONObject(parsing: Array(line.utf8), limits: JSONLimits(size: 1 << 24))
            let recorded = row.string("path") ?? ""
            guard recorded.hasPrefix("/admin/") else { continue }
            let (reply, number) = (
                try await Self.send(row, recorded, ids, token, admin), row.int64("n") ?? 0
            )
            guard Int64(reply.status) == row.int64("status") else {
                different[number] =
                    "\(row.string("method") ?? "") \(recorded): \(reply.status) "
                    + "\(reply.text.prefix(200))"
                continue
            }
            // `try?`: an answer without JSON teaches nothing.
            ids.learn(row["response"], try? JSONValue(parsing: reply.body, limits: Self.limits))
            if let there = row.object("response_headers")?.string("Location"),
                let here = reply.location
            {
                ids.learn(Self.last(of: there), Self.last(of: here))
            }
        }
        let known = Self.differences[name] ?? [:]
        let unknown = different.filter { known[$0.key] == nil }.sorted { $0.key < $1.key }
        #expect(
            unknown.isEmpty,
            "\n\(unknown.map { "\($0.key) \($0.value)" }.joined(separator: "\n"))"
        )
        #expect(Set(known.keys).isSubset(of: different.keys))
    }

    private static let limits = JSONLimits(size: 1 << 24)

    private static func last(of location: String) -> JSONValue {
        .string(location.split(separator: "/").last.map(String.init) ?? "")
    }

    private static func root(of admin: AdminUnderTest) async throws -> String {
        try await admin.makeMaster()
        let reply = try await admin.rootGrant()
        return try #require(reply.json.string("access_token"), "\(reply.text)")
    }

    private static func send(
        _ row: JSONObject,
        _ path: String,
        _ ids: Ids,
        _ token: String,
        _ admin: AdminUnderTest
    ) async throws -> Reply {
        var headers: HTTPFields = [:]
        for (name, value) in row.object("request_headers") ?? [:] {
            guard let field = HTTPField.Name(name), let text = value.string else { continue }
            headers[field] = name == "Authorization" ? "\(text) \(token)" : text
        }
        let body: String
        switch row["request"] {
        case .string(let text): body = text
        case nil, .null: body = ""
        case let value?: body = String(decoding: value.serialized(), as: UTF8.self)
        }
        return try await admin.server.send(
            try #require(HTTPRequest.Method(row.string("method") ?? "")),
            ids.replaced(path),
            headers: headers,
            body: Array(ids.replaced(body).utf8)
        )
    }

    /// Which ids here stand for those of the recording.
    private struct Ids {
        private var known: [String: String] = [:]

        func replaced(_ text: String) -> String {
            text.replacing(Self.uuid) { known[String($0.output)] ?? String($0.output) }
        }

        // A regular expression is not `Sendable`.
        private static var uuid: Regex<Substring> {
            /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
        }

        mutating func learn(_ recorded: JSONValue?, _ here: JSONValue?) {
            switch (recorded, here) {
            case (.string(let recorded)?, .string(let here)?):
                if recorded.wholeMatch(of: Self.uuid) != nil, known[recorded] == nil {
                    known[recorded] = here
                }
            case (.object(let recorded)?, .object(let here)?):
                for (name, value) in recorded { learn(value, here[known[name] ?? name]) }
            case (.array(let recorded)?, .array(let here)?):
                for (index, value) in recorded.enumerated() {
                    guard let name = Self.name(of: value) else {
                        if index < here.count { learn(value, here[index]) }
                        continue
                    }
                    learn(value, here.first { Self.name(of: $0) == name })
                }
            default: break
            }
        }

        /// What an element of a list goes by.
        private static func name(of value: JSONValue) -> String? {
            guard let object = value.object else { return nil }
            for key in ["clientId", "username", "realm", "alias", "name", "displayName"] {
                if let name = object.string(key) { return name }
            }
            return nil
        }
    }
}

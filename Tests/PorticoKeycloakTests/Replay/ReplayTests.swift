import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

private let fixtures = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite("Where Portico answers differently than Keycloak") struct DifferenceTests {
    @Test("decision 0049: each difference has its reason, once")
    func table() throws {
        let rows = try DifferenceTable().rows
        #expect(rows.count > 50)
        #expect(Set(rows.map { "\($0.recording) \($0.request)" }).count == rows.count)
        for row in rows {
            #expect(!row.reason.isEmpty && row.keycloak != row.portico, "\(row.request)")
            #expect(["1", "2", "3", "4", "5", "6", "7"].contains(row.recording))
        }
    }

    @Test("decision 0049: an answer is compared by what a client depends on")
    func outlines() {
        func outline(_ status: Int, _ body: String = "", _ fields: [String: String] = [:])
            -> AnswerOutline
        {
            AnswerOutline(method: "GET", origin: nil, status: status, body: body) { fields[$0] }
        }
        let there = ["location": "http://127.0.0.1:4711/cb?error=login_required&state=s1"]
        let here = ["location": "http://127.0.0.1:4711/cb?state=s-1&error=login_required"]
        #expect(
            AnswerOutline.difference(outline(302, "", there), outline(303, "", here)) == nil
        )
        let other = ["location": "http://127.0.0.1:4711/cb?error=invalid_request&state=s1"]
        #expect(
            AnswerOutline.difference(outline(302, "", there), outline(302, "", other)) != nil
        )
        let members = AnswerOutline.difference(
            outline(200, #"{"a":1,"b":2}"#),
            outline(200, #"{"b":3,"c":4}"#)
        )
        #expect(members?.0 == "more: a" && members?.1 == "more: c")
        let errors = AnswerOutline.difference(
            outline(401, #"{"error":"unauthorized_client"}"#),
            outline(401, #"{"error":"invalid_client"}"#)
        )
        #expect(errors?.0 == "401 unauthorized_client" && errors?.1 == "401 invalid_client")
        let empty = ["www-authenticate": #"Bearer realm="r", error="invalid_token""#]
        #expect(outline(401, "", empty).text == "401 invalid_token")
    }
}

/// What was recorded of a real Keycloak, sent to its realms after their move here.
@Suite(
    "Recordings of a real Keycloak",
    .enabled(if: fixtures != nil, "recordings from outside, to be looked at by hand")
)
struct ReplayTests {
    private let root: URL

    init() throws {
        root = URL(filePath: try #require(fixtures))
    }

    private func replay() async throws -> Replay {
        let database = try TestDatabase.inMemory()
        let read = RealmImport.underTest()
        let clock = StoppedClock()
        for realm in ["article", "full"] {
            let file = try Data(contentsOf: root.appending(path: "\(realm)-realm.json"))
            let files = [RealmFile(Array(file))]
            for imported in try await ReadRealm.all(files, read, at: Clock { clock.now }.moment()) {
                #expect(try await database.realms.create(imported.realm) == .created)
            }
        }
        let text = try Data(contentsOf: root.appending(path: "full-passwords.json"))
        let known = try JSONObject(parsing: Array(text), limits: JSONLimits(size: 1 << 20))
        var people: [String: Replay.Person] = [:]
        for (name, value) in known.object("people") ?? JSONObject() {
            guard let id = value.object?.string("id") else { continue }
            people[id] = Replay.Person(
                name: name,
                password: value.object?.string("password") ?? ""
            )
        }
        var clients: [String: String] = [:]
        for (name, id) in known.object("client_uuids") ?? JSONObject() {
            if let id = id.string { clients[id] = name }
        }
        return Replay(
            try await ProviderUnderTest(database: database, clock: clock),
            people: people,
            clients: clients,
            secret: known.object("clients")?.string("web-app") ?? ""
        )
    }

    @Test("decision 0049: every recorded answer is given, or its difference is written down")
    func recordings() async throws {
        let folder = root.appending(path: "recordings")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
            .filter { $0.hasSuffix(".keycloak.jsonl") && !$0.hasPrefix("8") }
        let rows = try DifferenceTable().rows
        var found: Set<DifferenceTable.Row> = []
        var replay = try await replay()
        var count = 0
        for file in files {
            // The fifth has the tokens of the fourth.
            if !file.hasPrefix("5") { replay = try await self.replay() }
            let exchanges = try Exchange.all(in: folder.appending(path: file))
            var before = ""
            for (index, exchange) in exchanges.enumerated() {
                let following = exchanges[(index + 1)...]
                guard
                    let reply = try await replay.send(exchange, in: file, following: following)
                else { continue }
                count += 1
                let ours = AnswerOutline(
                    reply: reply,
                    method: exchange.request.method,
                    origin: exchange.request.headers["Origin"]
                )
                // Forms have no note of their own; what follows from a request may occur again.
                let note = exchange.note.trimmingCharacters(in: .whitespaces)
                let isStep = exchange.note.isEmpty || exchange.note.hasPrefix("  ")
                let step = note.isEmpty ? "the form" : note
                let name = isStep ? "\(before): \(step)" : note
                if !isStep { before = note }
                let difference = AnswerOutline.difference(exchange.outline, ours)
                let row = rows.first { $0.isOf(String(file.prefix(1)), name) }
                guard let difference else { continue }
                guard let row, row.keycloak == difference.0, row.portico == difference.1 else {
                    Issue.record(
                        """
                        | \(file.prefix(1)) | \(name) | \(difference.0) | \(difference.1) | |
                        """
                    )
                    continue
                }
                found.insert(row)
            }
        }
        for row in rows where !found.contains(row) {
            Issue.record("no longer differs: \(row.recording) \(row.request)")
        }
        #expect(count > 290)
    }
}

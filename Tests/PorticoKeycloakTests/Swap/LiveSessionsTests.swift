import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Lists of live sessions") struct LiveSessionsTests {
    private struct Text: ByteSource {
        var rest: ArraySlice<UInt8>

        init(_ text: String) {
            rest = Array(text.utf8)[...]
        }

        mutating func next(upTo limit: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(limit) }
            return Array(rest.prefix(limit))
        }
    }

    private func read(_ text: String) async throws -> (LiveSessions, [ListedSession]) {
        var sessions = LiveSessions()
        let all = Locked<[ListedSession]>([])
        try await sessions.read(Text(text)) { chunk in
            #expect(chunk.count <= 200)
            all.withLock { $0 += chunk }
        }
        return (sessions, all.withLock { $0 })
    }

    private func session(_ id: String, _ clients: String, more: String = "") -> String {
        """
        {"id": "\(id)", "username": "ann", "userId": "ann-id", "start": 1700000001999,
         "lastAccess": 1700000500000, "clients": \(clients)\(more)}
        """
    }

    @Test("decision 0051: both kinds are read, in seconds, and other members passed over")
    func kinds() async throws {
        let (sessions, all) = try await read(
            """
            {"client-session-stats": [{"deep": [[1]]}],
             "user-sessions": {"app": [\(session("s1", #"{"u1": "app", "u2": "web"}"#))],
                               "web": []},
             "users": {"ann": {"sessions": [\(session("s9", "{}"))]}},
             "offline-sessions": {"u2": [\(session("s2", #"{"u2": "web"}"#))]}}
            """
        )
        #expect(sessions.count == 2)
        #expect(sessions.lastUsedAt == 1_700_000_500)
        #expect(
            all == [
                ListedSession(
                    sessionID: "s1",
                    isOffline: false,
                    clientID: "app",
                    personID: "ann-id",
                    startedAt: 1_700_000_001
                ),
                ListedSession(
                    sessionID: "s2",
                    isOffline: true,
                    clientID: "web",
                    personID: "ann-id",
                    startedAt: 1_700_000_001
                ),
            ]
        )
    }

    @Test("decision 0051: a session whose part of the client has ended is not listed")
    func detached() async throws {
        let (sessions, all) = try await read(
            """
            {"user-sessions": {"app": [\(session("s1", "{}")),
                \(session("s2", #"{"u2": "web"}"#))]}}
            """
        )
        #expect(sessions.count == 0)
        #expect(all.isEmpty)
    }

    @Test("decision 0051: a long list is handed on a few hundred at a time")
    func long() async throws {
        let each = (0..<1_001).map { session("s\($0)", #"{"u": "app"}"#) }
        let (sessions, all) = try await read(
            #"{"offline-sessions": {"app": ["# + each.joined(separator: ",") + "]}}"
        )
        #expect(sessions.count == 1_001)
        #expect(Set(all.map(\.sessionID)).count == 1_001)
    }

    @Test(
        "decision 0051: a realm with thousands of clients has a list, and so has one session of all"
    )
    func manyClients() async throws {
        let parts = (0..<3_000).map { #""u\#($0)": "app\#($0)""# }.joined(separator: ",")
        let ofAll = session("s", "{" + parts + "}")
        let each = (0..<3_000).map { index in
            let one = session("s\(index)", #"{"u\#(index)": "app\#(index)"}"#)
            return "\"app\(index)\": [\(one)]"
        }
        let (sessions, all) = try await read(
            #"{"user-sessions": {"u2999": ["# + ofAll + "], " + each.joined(separator: ",") + "}}"
        )
        #expect(sessions.count == 3_001)
        #expect(all.first?.clientID == "app2999")
    }

    /// Sessions that are made when they are read.
    private struct Endless: ByteSource {
        var index = 0
        let count: Int
        let each: @Sendable (Int) -> String

        mutating func next(upTo limit: Int) -> [UInt8] {
            guard index <= count + 1 else { return [] }
            defer { index += 1 }
            if index == 0 { return Array(#"{"offline-sessions": {"app": ["#.utf8) }
            if index == count + 1 { return Array("]}}".utf8) }
            return Array(((index == 1 ? "" : ",") + each(index)).utf8)
        }
    }

    @Test("decision 0051: of a hundred thousand sessions a few hundred are in memory")
    func bounded() async throws {
        let one = session("SESSION", #"{"u": "app"}"#)
        var sessions = LiveSessions()
        let most = Locked(0)
        let source = Endless(count: 100_000) { one.replacing("SESSION", with: "s\($0)") }
        try await sessions.read(source) { chunk in most.withLock { $0 = max($0, chunk.count) } }
        #expect(sessions.count == 100_000)
        #expect(most.withLock { $0 } == 200)
    }

    @Test(
        "decision 0051: what Keycloak does not answer is refused, with its place",
        arguments: [
            "", "[]", "{}", #"{"users": {}}"#, #"{"user-sessions": []}"#,
            #"{"user-sessions": {"app": {}}}"#, #"{"user-sessions": {"app": [5]}}"#,
            #"{"user-sessions": {"app": [{"id": "s"}]}}"#, #"{"user-sessions": {"app": ["#,
            #"{"user-sessions": {}} x"#,
            """
            {"user-sessions": {"app": [{"id": "s", "userId": "u", "start": -1000, "lastAccess": 1,
                "clients": {}}]}}
            """,
            """
            {"user-sessions": {"app": [{"id": "\(String(repeating: "s", count: 256))",
                "userId": "u", "start": 1, "lastAccess": 1, "clients": {}}]}}
            """,
            """
            {"user-sessions": {"app": [{"id": "s", "userId": "u", "start": 1, "lastAccess": 1,
                "clients": {"u": 5}}]}}
            """,
        ]
    )
    func broken(_ text: String) async throws {
        await #expect(throws: LiveSessionsError.self) { _ = try await read(text) }
    }
}

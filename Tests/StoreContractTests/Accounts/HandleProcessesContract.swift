import Foundation
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// Two openings of one file stand in for two processes; the last test has real ones.
@Suite("HandleSessionStore, of two processes on one file") struct HandleProcessesContract {
    @Test("ATP-TL-4: tokens are leased once, and stored once, whichever process comes")
    func openings() async throws {
        let one = try TestDatabase.inFile()
        let other = try one.openedAgain()
        let ann = try await one.signedInByHandle()
        for revision: Int64 in 1...20 {
            let outcomes = try await concurrently(50) { index in
                try await (index.isMultiple(of: 2) ? one : other)
                    .lease(ann, HandleExample.lease(revision))
            }
            #expect(outcomes.filter(\.isLeased).count == 1)
            let kept = try await concurrently(10) { index in
                try await (index.isMultiple(of: 2) ? one : other)
                    .keep(ann, "sealed \(index)", after: revision)
            }
            #expect(kept.count(of: .kept) == 1)
        }
    }

    @Test("ATP-TL-4: of two processes that refresh without end each refresh token goes out once")
    func processes() async throws {
        let stores = try TestDatabase.inFile()
        let ann = try await stores.signedInByHandle()
        let file = try #require(stores.file)
        setenv("TEST_HANDLE_ORDERS", "\(file)|\(ann.sessionID)", 1)
        async let here: Void = Refreshing.follow(afterOther: true)
        await #expect(processExitsWith: .success) { try await Refreshing.follow() }
        try await here
        let sent = try Refreshing.sent(file)
        #expect(sent.map(\.revision) == Array(1...Refreshing.rounds))
        #expect(Set(sent.map(\.process)).count == 2)
        #expect(try await stores.handle(ann)?.revision == Refreshing.rounds + 1)
    }
}

/// Refreshes a session's tokens as fast as it can, and notes in a file what it sent.
private struct Refreshing {
    let handles: HandleSessionStore
    let id: String
    let file: String

    static let rounds: Int64 = 400

    /// As the environment says.
    ///
    /// - Parameter afterOther: Waits until the other process has begun, which takes a while.
    static func follow(afterOther: Bool = false) async throws {
        let text = ProcessInfo.processInfo.environment["TEST_HANDLE_ORDERS"] ?? ""
        let parts = text.split(separator: "|").map(String.init)
        try #require(parts.count == 2)
        for _ in 0..<60_000 where afterOther {
            if FileManager.default.fileExists(atPath: parts[0] + ".sent") { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        let refreshing = Refreshing(
            handles: HandleSessionStore(try SQLiteDatabase(file: parts[0])),
            id: parts[1],
            file: parts[0] + ".sent"
        )
        try await refreshing.run()
    }

    private func run() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<25 { group.addTask { while try await goesOn() {} } }
            try await group.waitForAll()
        }
    }

    private func goesOn() async throws -> Bool {
        let now = HandleExample.now
        let session = try #require(try await handles.live(id, at: now)).handle
        guard session.revision <= Self.rounds else { return false }
        let lease = HandleExample.lease(session.revision)
        guard try await handles.lease(id, lease, at: now).isLeased else { return true }
        try #require(try await handles.sending(id, lease, at: now))
        try note("\(session.revision) \(getpid())\n")
        let kept = try await handles.keep(
            "sealed",
            scope: "atproto",
            accessExpiresAt: nil,
            host: "https://pds.example.com",
            handle: "ann.example.com",
            of: id,
            after: session.revision,
            at: now
        )
        try #require(kept == .kept)
        return true
    }

    private func note(_ line: String) throws {
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        defer { close(descriptor) }
        let bytes = Array(line.utf8)
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    static func sent(_ file: String) throws -> [(revision: Int64, process: Substring)] {
        try String(contentsOfFile: file + ".sent", encoding: .utf8).split(separator: "\n").map {
            let words = $0.split(separator: " ")
            return (try #require(words.first.flatMap { Int64($0) }), words.last ?? "")
        }
    }
}

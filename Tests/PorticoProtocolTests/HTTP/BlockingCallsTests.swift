import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Calls that block a thread of their own")
struct BlockingCallsTests {
    /// One of three callers, of which the first began the call and the others joined it.
    @Test(
        "decision 0067: who waits with others and is cancelled leaves at once; their call goes on",
        arguments: 0..<3
    )
    func cancelled(leaver: Int) async throws {
        let (begun, isOpen) = (Locked(0), Locked(false))
        defer { isOpen.withLock { $0 = true } }
        let calls = BlockingCalls<Int>(most: 1)
        let call: @Sendable () -> Int = {
            begun.withLock { $0 += 1 }
            waitBlocked { isOpen.withLock { $0 } }
            return 7
        }
        // What came of each, so that nothing here waits for a caller that is never answered.
        let ends = Locked<[Int: String]>([:])
        let callers = (0..<3).map { number in
            // Immediate: it has joined when the next one begins.
            Task.immediate {
                let end: String
                do {
                    end = try await calls("a.example", call).map { "\($0)" } ?? "full"
                } catch {
                    end = "\(type(of: error))"
                }
                ends.withLock { $0[number] = end }
            }
        }
        try await waitUntil("the call runs") { begun.withLock { $0 } == 1 }
        callers[leaver].cancel()
        try await waitUntil("one has left", within: 20) { !ends.withLock(\.isEmpty) }
        #expect(ends.withLock { $0 } == [leaver: "CancellationError"])
        // Its thread runs, and there is no other.
        let other = try await calls("b.example") { 8 }
        #expect(other == nil)
        isOpen.withLock { $0 = true }
        try await waitUntil("the others have their answer", within: 20) {
            ends.withLock(\.count) == 3
        }
        #expect(ends.withLock { $0.values.sorted() } == ["7", "7", "CancellationError"])
        #expect(begun.withLock { $0 } == 1)
        // The place is free again.
        let next = try await calls("b.example") { 8 }
        #expect(next == 8)
    }

    @Test("decision 0067: a call that no one waits for any more keeps its place, and is joined")
    func left() async throws {
        let (begun, isOpen) = (Locked(0), Locked(false))
        defer { isOpen.withLock { $0 = true } }
        let calls = BlockingCalls<Int>(most: 1)
        let call: @Sendable () -> Int = {
            begun.withLock { $0 += 1 }
            waitBlocked { isOpen.withLock { $0 } }
            return 7
        }
        let first = Task.immediate { try await calls("a.example", call) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let other = try await calls("b.example") { 8 }
        #expect(other == nil)
        let second = Task.immediate { try await calls("a.example", call) }
        isOpen.withLock { $0 = true }
        let answer = try await second.value
        #expect(answer == 7)
        #expect(begun.withLock { $0 } == 1)
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("While names are looked up that never resolve") struct BlockedNamesTests {
    @Test("decision 0067: 32 of them hold up no other look-up, no task and no check")
    func others() async throws {
        let (asked, isOpen) = (Locked(0), Locked(false))
        defer { isOpen.withLock { $0 = true } }
        let names = SystemResolver { _ in
            asked.withLock { $0 += 1 }
            waitBlocked { isOpen.withLock { $0 } }
            return []
        }
        let others = SystemResolver { _ in [[192, 0, 2, 1]] }
        let check = SharedCheck {}
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...32 {
                group.addTask { _ = try await names.addresses(of: "n\(number).example.com") }
            }
            let found = try await others.addresses(of: "pds.example.com")
            #expect(found == [[192, 0, 2, 1]])
            await Task {}.value
            let isSound = await check()
            #expect(isSound)
            try await waitUntil("32 names are asked for") { asked.withLock { $0 } == 32 }
            // It took 13 seconds on threads that tasks run on.
            let time = ContinuousClock.now - start
            #expect(time < .seconds(10))
            isOpen.withLock { $0 = true }
        }
    }
}

import Dispatch
import Foundation
import PorticoBytes
import Testing

@Suite("Locked")
struct LockedTests {
    @Test("Many threads at once lose no step, twenty rounds")
    func excludes() {
        for _ in 0..<20 {
            let counter = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for step in 0..<2000 {
                    counter.withLock { value in
                        let read = value
                        // Between reading and writing, others get their chance.
                        if step % 20 == 0 { sched_yield() }
                        value = read + 1
                    }
                }
            }
            #expect(counter.withLock { $0 } == 8000)
        }
    }

    @Test("An error inside leaves the lock open for the next")
    func unlocksOnError() {
        struct Refusal: Error {}
        let value = Locked([1])
        #expect(throws: Refusal.self) {
            try value.withLock { value in
                value.append(2)
                throw Refusal()
            }
        }
        #expect(value.withLock { $0 } == [1, 2])
    }
}

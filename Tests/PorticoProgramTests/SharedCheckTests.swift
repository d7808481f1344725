import PorticoBytes
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("A check that many share") struct SharedCheckTests {
    /// What is checked: counted, told what to say, and held up where a test wants it.
    private final class Checked: Sendable {
        struct Failure: Error {}

        private struct State {
            var count = 0
            var isFailing = false
            var isHeld = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        var count: Int { state.withLock(\.count) }
        func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }
        func hold() { state.withLock { $0.isHeld = true } }

        func release() {
            let waiting = state.withLock { state in
                defer { (state.waiting, state.isHeld) = ([], false) }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        func check() async throws {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    state.count += 1
                    if state.isHeld { state.waiting.append(continuation) }
                    return !state.isHeld
                }
                if goesOn { continuation.resume() }
            }
            if state.withLock(\.isFailing) { throw Failure() }
        }
    }

    private final class Stopped: Sendable {
        private let time = Locked(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock(\.self) }
        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    @Test("asked a thousand times within a second, it is made once, and says the same to all")
    func flood() async throws {
        let (checked, clock) = (Checked(), Stopped())
        let check = SharedCheck(now: { clock.now }, check: checked.check)
        #expect(await answers(1000, check) == Array(repeating: true, count: 1000))
        #expect(checked.count == 1)
        clock.advance(by: .milliseconds(999))
        checked.fail(true)
        #expect(await check())
        #expect(checked.count == 1)
    }

    @Test("what goes wrong is told within a second, and what is well again, too")
    func changes() async throws {
        let (checked, clock) = (Checked(), Stopped())
        let check = SharedCheck(now: { clock.now }, check: checked.check)
        for (round, isFailing) in [false, true, true, false].enumerated() {
            checked.fail(isFailing)
            #expect(await check() == !isFailing)
            #expect(checked.count == round + 1)
            clock.advance(by: .seconds(1))
        }
    }

    @Test(
        "where it does not end all is not well, no one waits long, and it is not made again meanwhile"
    )
    func stuck() async throws {
        let checked = Checked()
        checked.hold()
        let check = SharedCheck(
            interval: .zero,
            patience: .milliseconds(50),
            check: checked.check
        )
        #expect(await answers(20, check) == Array(repeating: false, count: 20))
        #expect(await check() == false)
        #expect(checked.count == 1)
        checked.release()
        var isWell = false
        let deadline = ContinuousClock.now + .seconds(60)
        while !isWell, .now < deadline {
            await Task.yield()
            isWell = await check()
        }
        #expect(isWell)
    }

    private func answers(_ count: Int, _ check: SharedCheck) async -> [Bool] {
        await withTaskGroup { group in
            for _ in 0..<count { group.addTask { await check() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

import Foundation
import PorticoBytes
import Testing

@testable import PorticoWeb

private let start = Date(timeIntervalSince1970: 2_000_000_000)

private func after(_ seconds: TimeInterval) -> Date {
    start.addingTimeInterval(seconds)
}

private func key(_ name: String) -> LimitKey {
    LimitKey("test", name)
}

@Suite("Rate limiter")
struct RateLimiterTests {
    @Test("Attack C16, WEB-BRUTE-2: a burst goes through, then one at a time as time passes")
    func bucket() {
        let limiter = RateLimiter(burst: 3, perMinute: 60)
        for _ in 0..<3 { #expect(limiter.take(key("web1"), at: start) == .allowed) }
        #expect(limiter.take(key("web1"), at: start) == .wait(1))
        #expect(limiter.take(key("web1"), at: after(0.25)) == .wait(0.75))
        #expect(limiter.take(key("web1"), at: after(1)) == .allowed)
        #expect(limiter.take(key("web1"), at: after(1)) == .wait(1))
        // Others are not concerned.
        #expect(limiter.take(key("web2"), at: start) == .allowed)
        // Rested for long, it is a burst again and no more.
        for _ in 0..<3 { #expect(limiter.take(key("web1"), at: after(10_000)) == .allowed) }
        #expect(limiter.take(key("web1"), at: after(10_000)) == .wait(1))
    }

    @Test("A limit on failures counts failures only")
    func failures() {
        let limiter = RateLimiter(burst: 2, perMinute: 60)
        for _ in 0..<100 { #expect(limiter.check(key("web1"), at: start) == .allowed) }
        limiter.countFailure(key("web1"), at: start)
        limiter.countFailure(key("web1"), at: start)
        #expect(limiter.check(key("web1"), at: start) == .wait(1))
        // More failures do not lengthen the wait.
        for _ in 0..<100 { limiter.countFailure(key("web1"), at: start) }
        #expect(limiter.check(key("web1"), at: after(1)) == .allowed)
    }

    @Test("WEB-BRUTE-2: all limits are asked, and where one refuses nothing is taken of the others")
    func allOrNone() {
        let limiter = RateLimiter(
            RateLimit(burst: 2, perMinute: 1),
            RateLimit(burst: 5, perMinute: 1)
        )
        for _ in 0..<20 {
            _ = limiter.take(key("mallory"), key("ann's mailbox"), at: start)
        }
        // Mallory took two of five, however often she asked.
        for _ in 0..<2 {
            #expect(limiter.take(key("ann"), key("ann's mailbox"), at: start) == .allowed)
        }
        #expect(limiter.take(key("bob"), key("ann's mailbox"), at: start) == .allowed)
        #expect(limiter.take(key("eve"), key("ann's mailbox"), at: start) == .wait(60))
        // Nor was anything taken of Eve's.
        for _ in 0..<2 { #expect(limiter.take(key("eve"), nil, at: start) == .allowed) }
    }

    @Test("The longest wait of all limits is said")
    func longestWait() {
        let limiter = RateLimiter(
            RateLimit(burst: 1, perMinute: 60),
            RateLimit(burst: 1, perMinute: 1)
        )
        #expect(limiter.take(key("a"), key("b"), at: start) == .allowed)
        #expect(limiter.take(key("a"), key("b"), at: start) == .wait(60))
    }

    @Test("A flood of new keys never makes an exhausted key usable again", arguments: [8, 64, 800])
    func flood(keys: Int) {
        let limiter = RateLimiter(RateLimit(burst: 3, perMinute: 0.001, keys: keys))
        let victims = (0..<8).map { key("victim \($0)") }
        for victim in victims {
            #expect(limiter.take(victim, at: start) == .allowed)
            while case .allowed = limiter.take(victim, at: start) {}
        }
        for number in 0..<20_000 {
            _ = limiter.take(key("flood \(number)"), at: start)
            if number.isMultiple(of: 500) {
                for victim in victims { #expect(limiter.check(victim, at: start) != .allowed) }
            }
        }
        for victim in victims { #expect(limiter.take(victim, at: start) != .allowed) }
        // And what a flood has done passes.
        #expect(limiter.take(key("new"), at: after(86_400 * 30)) == .allowed)
    }

    @Test("A table keeps its size in bytes, whatever comes")
    func size() {
        var counts = LeakyCounts(capacity: 1_000, perSecond: 1)
        #expect(counts.size == 32_000)
        for number in 0..<10_000 {
            let long = String(repeating: "x", count: 1_000) + "\(number)"
            counts.set(.init(level: 1, at: 0), of: key(long), at: 0)
        }
        #expect(counts.size == 32_000)
        #expect(FailedPasswords().size == 5 * 16_384 * 32)
    }

    @Test("Two spellings of one text are two keys, and what is joined is not mixed up")
    func exactKeys() {
        #expect(LimitKey("test", "\u{E9}") != LimitKey("test", "e\u{301}"))
        #expect(LimitKey("test", "a b", "c") != LimitKey("test", "a", "b c"))
        #expect(LimitKey("test", "a", "b") != LimitKey("test", "ab"))
        #expect(LimitKey("test", "a", "b") != LimitKey("test", "a\0\0\0\0b"))
        #expect(LimitKey("one", "a") != LimitKey("other", "a"))
        #expect(LimitKey("one", "a") == LimitKey("one", "a"))
    }

    @Test("A clock set back or mad neither traps nor lets more through")
    func clocks() {
        let limiter = RateLimiter(burst: 1, perMinute: 1)
        #expect(limiter.take(key("a"), at: start) == .allowed)
        for time in [0, -1, -1e9] {
            #expect(limiter.take(key("a"), at: after(time)) != .allowed)
        }
        for time in [Double.infinity, -.infinity, .nan] {
            _ = limiter.take(key("b"), at: Date(timeIntervalSince1970: time))
        }
    }

    @Test("Counts go down after a clock was set back as before, and after a second time, too")
    func clockSetBack() {
        let limiter = RateLimiter(burst: 2, perMinute: 1)
        for back in [0.0, -86_400, -400_000] {
            for _ in 0..<2 { #expect(limiter.take(key("a"), at: after(back)) == .allowed) }
            #expect(limiter.take(key("a"), at: after(back - 7200)) == .wait(60))
            #expect(limiter.take(key("a"), at: after(back - 7200 + 59)) != .allowed)
            #expect(limiter.take(key("a"), at: after(back - 7200 + 60)) == .allowed)
            #expect(limiter.check(key("a"), at: after(back - 7200 + 180)) == .allowed)
        }
    }

    @Test("Requests that come out of order, minutes old, let no more through")
    func disorder() {
        let limiter = RateLimiter(burst: 2, perMinute: 1)
        for _ in 0..<2 { #expect(limiter.take(key("a"), at: start) == .allowed) }
        for _ in 0..<100 {
            #expect(limiter.take(key("a"), at: after(-299)) != .allowed)
            #expect(limiter.take(key("a"), at: after(1)) != .allowed)
        }
    }

    @Test("Of many at once no more go through than the burst")
    func race() async {
        for _ in 0..<20 {
            let limiter = RateLimiter(burst: 5, perMinute: 1)
            let allowed = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask { limiter.take(key("a"), at: start) == .allowed }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(allowed == 5)
        }
    }

    @Test("What was seen lately is known again, in bounded memory")
    func seenLately() {
        let seen = SeenLately<LimitKey>(capacity: 100)
        #expect(seen.isFirst(key("a")))
        #expect(!seen.isFirst(key("a")))
        for number in 0..<99 { #expect(seen.isFirst(key("\(number)"))) }
        #expect(!seen.isFirst(key("a")))
        for number in 100..<1_000 { _ = seen.isFirst(key("\(number)")) }
        #expect(seen.isFirst(key("a")))
    }

    @Test("What is remembered of other people's making is bounded by what it weighs")
    func weighed() {
        var kept = TwoGenerations<Int, Int>(capacity: 100) { $0 }
        for number in 0..<1_000 {
            kept.insert(30, for: number)
            #expect(kept.count <= 6 && kept[number] == 30)
        }
        // At least the last three, whose weight is 90.
        #expect(kept[997] == 30 && kept[998] == 30 && kept[990] == nil)
        // What alone is too heavy drives nothing out, and takes the place of its key's value.
        kept.insert(101, for: 999)
        #expect(kept[999] == nil && kept[998] == 30)
        // A value that is replaced or removed weighs nothing any more.
        var replaced = TwoGenerations<Int, Int>(capacity: 100) { $0 }
        replaced.insert(30, for: 0)
        for weight in 0..<1_000 { replaced.insert(weight % 70, for: 1) }
        #expect(replaced[0] == 30)
        for _ in 0..<1_000 {
            replaced.insert(60, for: 1)
            replaced.remove(1)
        }
        #expect(replaced[0] == 30)
    }
}

@Suite("Mail limits")
struct MailLimitTests {
    private func moment(_ seconds: TimeInterval = 0) -> Moment {
        Moment(now: after(seconds), random: .system)
    }

    @Test("WEB-BRUTE-2: one account alone does not use up the codes of a mailbox")
    func owner() {
        let limits = MailLimits()
        for _ in 0..<100 {
            _ = limits.take("ann@example.com", for: "mallory", from: "192.0.2.1", at: moment())
        }
        let own = limits.take("ann@example.com", for: "ann", from: "192.0.2.2", at: moment())
        #expect(own == .allowed)
    }

    @Test("WEB-BRUTE-2: one address alone does not, either, under many names")
    func address() {
        let limits = MailLimits()
        for number in 0..<100 {
            _ = limits.take("ann@example.com", for: "m\(number)", from: "192.0.2.1", at: moment())
        }
        // The mailbox itself is at its bound of ten: no mailbox is sent more.
        let own = limits.take("ann@example.com", for: "ann", from: "192.0.2.2", at: moment())
        #expect(own != .allowed)
        #expect(
            limits.take("bob@example.com", for: "bob", from: "192.0.2.2", at: moment()) == .allowed
        )
    }

    @Test("WEB-BRUTE-2: wrong codes count across codes: after too many no other code is sent")
    func wrongCodes() {
        let limits = MailLimits()
        for _ in 0..<15 {
            limits.countWrongCode(for: "ann@example.com", by: "mallory", at: moment())
        }
        let other = limits.take("ann@example.com", for: "mallory", from: "192.0.2.1", at: moment())
        #expect(other != .allowed)
        // The owner is not kept out by one who guesses.
        let own = limits.take("ann@example.com", for: "ann", from: "192.0.2.2", at: moment())
        #expect(own == .allowed)
        // All requesters together have sixty guesses a day.
        for number in 0..<10 {
            for _ in 0..<15 {
                limits.countWrongCode(for: "ann@example.com", by: "m\(number)", at: moment())
            }
        }
        #expect(
            limits.take("ann@example.com", for: "eve", from: "192.0.2.3", at: moment()) != .allowed
        )
        let later = moment(86_400)
        #expect(
            limits.take("ann@example.com", for: "eve", from: "192.0.2.3", at: later) == .allowed
        )
    }
}

import Foundation
import PorticoBytes
import Testing

@testable import PorticoWeb

private let start = Date(timeIntervalSince1970: 2_000_000_000)

private func after(_ seconds: TimeInterval) -> Date {
    start.addingTimeInterval(seconds)
}

@Suite("Rate limiter")
struct RateLimiterTests {
    @Test("Attack C16, WEB-BRUTE-2: a burst goes through, then one at a time as time passes")
    func bucket() {
        let limiter = RateLimiter(burst: 3, perMinute: 60)
        for _ in 0..<3 { #expect(limiter.take("web1", at: start) == .allowed) }
        #expect(limiter.take("web1", at: start) == .wait(1))
        #expect(limiter.take("web1", at: after(0.25)) == .wait(0.75))
        #expect(limiter.take("web1", at: after(1)) == .allowed)
        #expect(limiter.take("web1", at: after(1)) == .wait(1))
        // Others are not concerned.
        #expect(limiter.take("web2", at: start) == .allowed)
        // Rested for long, it is a burst again and no more.
        for _ in 0..<3 { #expect(limiter.take("web1", at: after(10_000)) == .allowed) }
        #expect(limiter.take("web1", at: after(10_000)) == .wait(1))
    }

    @Test("A limit on failures counts failures only")
    func failures() {
        let limiter = RateLimiter(burst: 2, perMinute: 60)
        for _ in 0..<100 { #expect(limiter.check("web1", at: start) == .allowed) }
        limiter.countFailure("web1", at: start)
        limiter.countFailure("web1", at: start)
        #expect(limiter.check("web1", at: start) == .wait(1))
        // More failures do not lengthen the wait.
        for _ in 0..<100 { limiter.countFailure("web1", at: start) }
        #expect(limiter.check("web1", at: after(1)) == .allowed)
    }

    @Test("Any number of keys stays in bounded memory, and those in use are kept")
    func bounded() {
        let limiter = RateLimiter(burst: 1, perMinute: 1, keys: 100)
        #expect(limiter.take("steady", at: start) == .allowed)
        for number in 0..<10_000 {
            _ = limiter.take("key \(number)", at: start)
            if number.isMultiple(of: 50) { limiter.countFailure("steady", at: start) }
        }
        #expect(limiter.remembered <= 200)
        #expect(limiter.take("key 9999", at: start) != .allowed)
    }

    @Test("A clock set back or mad neither traps nor lets more through")
    func clocks() {
        let limiter = RateLimiter(burst: 1, perMinute: 1)
        #expect(limiter.take("a", at: start) == .allowed)
        for time in [-1e9, -1, 0] {
            #expect(limiter.take("a", at: after(time)) != .allowed)
        }
        for time in [Double.infinity, -.infinity, .nan] {
            _ = limiter.take("b", at: Date(timeIntervalSince1970: time))
        }
    }

    @Test("Of many at once no more go through than the burst")
    func race() async {
        for _ in 0..<20 {
            let limiter = RateLimiter(burst: 5, perMinute: 1)
            let allowed = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask { limiter.take("a", at: start) == .allowed }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(allowed == 5)
        }
    }
}

@Suite("Failed passwords")
struct FailedPasswordsTests {
    /// Wrong passwords for an account, one after the other as soon as each is let through.
    ///
    /// - Returns: The waits before each try.
    private func waits(
        _ passwords: FailedPasswords,
        tries: Int,
        address: (Int) -> String,
        device: String? = nil
    ) -> [TimeInterval] {
        var now = start
        var waits: [TimeInterval] = []
        for number in 0..<tries {
            var waited: TimeInterval = 0
            while case .wait(let seconds) = passwords.begin(
                account: "alice",
                address: address(number),
                device: device,
                at: now
            ) {
                waited += seconds
                now += seconds
            }
            waits.append(waited)
        }
        return waits
    }

    @Test("Attack B40: from one address the waits grow, up to a bound")
    func oneAddress() {
        let passwords = FailedPasswords()
        let waits = waits(passwords, tries: 30) { _ in "192.0.2.1" }
        #expect(waits.prefix(5).allSatisfy { $0 == 0 })
        #expect(Array(waits[5..<10]) == [1, 2, 4, 8, 16])
        #expect(zip(waits[5...], waits[6...]).allSatisfy { $0 <= $1 })
        #expect(waits.last == 900)
    }

    @Test("Attack B40: from a hundred addresses the account itself slows down, up to a minute")
    func manyAddresses() {
        let passwords = FailedPasswords()
        let waits = waits(passwords, tries: 100) { "192.0.2.\($0)" }
        #expect(waits.prefix(20).allSatisfy { $0 == 0 })
        #expect(Array(waits[20..<23]) == [1, 2, 4])
        #expect(waits.max() == 60)
        #expect(waits.last == 60)
    }

    @Test("Attack B40: an address that tries many accounts slows down, too")
    func manyAccounts() {
        let passwords = FailedPasswords()
        var refused = 0
        for number in 0..<100 {
            let verdict = passwords.begin(
                account: "person \(number)",
                address: "192.0.2.1",
                at: start
            )
            if case .wait = verdict { refused += 1 }
        }
        #expect(refused == 70)
        #expect(isLetThrough(passwords, account: "bob", address: "192.0.2.2", at: start))
    }

    private func isLetThrough(
        _ passwords: FailedPasswords,
        account: String = "alice",
        address: String,
        device: String? = nil,
        at now: Date
    ) -> Bool {
        if case .proceed = passwords.begin(
            account: account,
            address: address,
            device: device,
            at: now
        ) {
            true
        } else {
            false
        }
    }

    @Test(
        "WEB-BRUTE-1: a known device gets in while others are held up, and has a limit of its own"
    )
    func knownDevice() {
        let passwords = FailedPasswords()
        for number in 0..<200 {
            _ = passwords.begin(account: "alice", address: "192.0.2.\(number % 50)", at: start)
        }
        #expect(!isLetThrough(passwords, address: "192.0.2.1", at: start))
        #expect(!isLetThrough(passwords, address: "198.51.100.1", at: start))
        for _ in 0..<5 {
            #expect(isLetThrough(passwords, address: "192.0.2.1", device: "phone", at: start))
        }
        #expect(!isLetThrough(passwords, address: "192.0.2.1", device: "phone", at: start))
        #expect(isLetThrough(passwords, address: "192.0.2.1", device: "laptop", at: start))
        // A device of another account is no key to this one.
        #expect(isLetThrough(passwords, account: "bob", address: "a", device: "phone", at: start))
    }

    @Test("WEB-BRUTE-1: nobody is locked out for good, and a quiet hour clears the count")
    func noLockout() {
        let passwords = FailedPasswords()
        for number in 0..<10_000 {
            _ = passwords.begin(account: "alice", address: "192.0.2.\(number % 200)", at: start)
        }
        #expect(!isLetThrough(passwords, address: "198.51.100.1", at: after(0.5)))
        #expect(isLetThrough(passwords, address: "198.51.100.1", at: after(60)))
        let waits = waits(passwords, tries: 40) { _ in "203.0.113.9" }
        #expect(waits.contains { $0 > 0 })
        for _ in 0..<5 {
            #expect(isLetThrough(passwords, address: "203.0.113.9", at: after(86_400)))
        }
    }

    @Test("A clock that was set back makes no wait longer than it was")
    func clockSetBack() {
        let passwords = FailedPasswords()
        for _ in 0..<6 { _ = passwords.begin(account: "alice", address: "a", at: after(100_000)) }
        #expect(passwords.begin(account: "alice", address: "a", at: start) == .wait(1))
    }

    @Test("Knocking during a wait neither lengthens it nor is checked")
    func knocking() {
        let passwords = FailedPasswords()
        for _ in 0..<6 { _ = passwords.begin(account: "alice", address: "a", at: start) }
        for _ in 0..<100 {
            #expect(
                passwords.begin(account: "alice", address: "a", at: after(0.5)) == .wait(0.5)
            )
        }
        #expect(isLetThrough(passwords, address: "a", at: after(1)))
    }

    @Test("A right password takes its own try back, and clears nobody's record")
    func right() {
        let passwords = FailedPasswords()
        // A person who types well never waits.
        for _ in 0..<100 {
            guard
                case .proceed(let attempt) = passwords.begin(
                    account: "alice",
                    address: "a",
                    at: start
                )
            else {
                Issue.record("The right password had to wait.")
                return
            }
            passwords.wasRight(attempt)
        }
        // An attacker with an account of his own clears nothing by signing in to it.
        for number in 0..<30 {
            _ = passwords.begin(account: "victim \(number)", address: "b", at: start)
        }
        if case .proceed(let own) = passwords.begin(account: "own", address: "b", at: after(1)) {
            passwords.wasRight(own)
        }
        #expect(!isLetThrough(passwords, account: "victim", address: "b", at: after(1.5)))
    }

    @Test("Many tries at once do not slip through while the first are still being checked")
    func race() async {
        for _ in 0..<20 {
            let passwords = FailedPasswords()
            let through = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask { self.isLetThrough(passwords, address: "a", at: start) }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(through == 5)
        }
    }

    @Test("Accounts whose names look alike when joined are not one; memory is bounded")
    func keys() {
        var policy = FailedPasswords.Policy()
        policy.counts = 100
        let passwords = FailedPasswords(policy)
        for _ in 0..<5 { _ = passwords.begin(account: "a b", address: "c", at: start) }
        #expect(!isLetThrough(passwords, account: "a b", address: "c", at: start))
        #expect(isLetThrough(passwords, account: "a", address: "b c", at: start))
        for number in 0..<10_000 {
            _ = passwords.begin(account: "\(number)", address: "\(number)", at: start)
        }
        #expect(passwords.remembered <= 200)
    }
}

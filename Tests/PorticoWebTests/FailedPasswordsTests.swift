import Foundation
import PorticoBytes
import Testing

@testable import PorticoWeb

private let start = Date(timeIntervalSince1970: 2_000_000_000)

private func after(_ seconds: TimeInterval) -> Date {
    start.addingTimeInterval(seconds)
}

@Suite("Failed passwords")
struct FailedPasswordsTests {
    private let passwords = FailedPasswords()

    private func attempt(
        _ name: String = "alice",
        account: String? = nil,
        from address: String = "192.0.2.1",
        device: String? = nil
    ) -> FailedPasswords.Attempt {
        FailedPasswords.Attempt(
            realm: "test",
            name: name,
            account: account,
            address: address,
            device: device
        )
    }

    private func isLetThrough(
        _ passwords: FailedPasswords,
        _ attempt: FailedPasswords.Attempt,
        at now: Date = start
    ) -> Bool {
        passwords.begin(attempt, at: now) == .proceed
    }

    /// Wrong passwords, one after the other as soon as each is let through.
    ///
    /// - Returns: The waits before each try.
    private func waits(
        _ passwords: FailedPasswords,
        tries: Int,
        from now: Date = start,
        _ attempt: (Int) -> FailedPasswords.Attempt
    ) -> [TimeInterval] {
        var now = now
        var waits: [TimeInterval] = []
        for number in 0..<tries {
            var waited: TimeInterval = 0
            while case .wait(let seconds) = passwords.begin(attempt(number), at: now) {
                waited += seconds
                now += seconds
            }
            waits.append(waited)
        }
        return waits
    }

    @Test("Attack B40: from one address the waits grow, up to a bound")
    func oneAddress() throws {
        let waits = waits(passwords, tries: 30) { _ in attempt() }
        #expect(waits.prefix(5).allSatisfy { $0 == 0 })
        #expect(Array(waits[5..<10]) == [1, 2, 4, 8, 16])
        #expect(waits.max() == 900)
        // In the long run no more than are forgotten: five an hour.
        #expect(waits[15...].reduce(0, +) / 15 > 600)
    }

    @Test("Attack B40: from a hundred addresses the name itself slows down, up to a minute")
    func manyAddresses() {
        let waits = waits(passwords, tries: 100) { attempt(from: "192.0.2.\($0)") }
        #expect(waits.prefix(20).allSatisfy { $0 == 0 })
        #expect(Array(waits[20..<23]) == [1, 2, 4])
        #expect(waits.max() == 60)
        #expect(waits.last == 60)
    }

    @Test("Attack B40: an address that tries many names gets one try for each")
    func manyNames() {
        for number in 0..<100 {
            #expect(isLetThrough(passwords, attempt("person \(number)")))
        }
        #expect(passwords.hasManyMistakes(attempt(), at: start))
        #expect(!passwords.hasManyMistakes(attempt(device: "phone"), at: start))
        #expect(!isLetThrough(passwords, attempt("person 99")))
        // Another person behind it gets one try, and a wrong password is their last.
        #expect(isLetThrough(passwords, attempt("ann")))
        #expect(!isLetThrough(passwords, attempt("ann")))
        #expect(isLetThrough(passwords, attempt("ann", from: "192.0.2.2")))
    }

    @Test("WEB-BRUTE-1: thirty mistakes of strangers hold no right password back, at once or later")
    func strangers() {
        for number in 0..<30 { _ = passwords.begin(attempt("made up \(number)"), at: start) }
        let ann = attempt("ann", account: "1")
        #expect(isLetThrough(passwords, ann))
        passwords.wasRight(ann, at: start)
        #expect(isLetThrough(passwords, ann))
        // An attacker keeps trying, every hour: old tries are forgotten anyway.
        for hour in 1...20 {
            _ = passwords.begin(attempt("another"), at: after(TimeInterval(hour) * 3600))
        }
        #expect(!passwords.hasManyMistakes(attempt(), at: after(20 * 3600)))
    }

    @Test("WEB-ENUM-1: two names of one account are counted like two unknown names")
    func twoNames() {
        for account in ["1", nil] as [String?] {
            let passwords = FailedPasswords()
            for _ in 0..<5 { _ = passwords.begin(attempt("bob", account: account), at: start) }
            #expect(!isLetThrough(passwords, attempt("bob", account: account)))
            let mail = attempt("bob@corp.example", account: account)
            #expect(isLetThrough(passwords, mail))
        }
    }

    @Test("WEB-ENUM-1: however long both names are tried, the account's own count says nothing")
    func twoNamesForLong() {
        let both = (["1", nil] as [String?]).map { account in
            let passwords = FailedPasswords()
            return waits(passwords, tries: 400) { number in
                attempt(
                    number.isMultiple(of: 2) ? "bob" : "bob@corp.example",
                    account: account,
                    from: "192.0.2.\(number)"
                )
            }
        }
        #expect(both[0] == both[1])
    }

    @Test("The account counts besides: known devices together are bounded, too")
    func accountBesides() {
        for device in 0..<12 {
            for _ in 0..<5 {
                let attempt = attempt(account: "1", device: "device \(device)")
                #expect(isLetThrough(passwords, attempt))
            }
        }
        #expect(!isLetThrough(passwords, attempt(account: "1", from: "198.51.100.1")))
        #expect(isLetThrough(passwords, attempt(account: "2", from: "198.51.100.1")))
    }

    @Test(
        "WEB-BRUTE-1: a known device gets in while others are held up, and has a limit of its own"
    )
    func knownDevice() {
        for number in 0..<200 {
            _ = passwords.begin(attempt(account: "1", from: "192.0.2.\(number % 50)"), at: start)
        }
        #expect(!isLetThrough(passwords, attempt(account: "1")))
        #expect(!isLetThrough(passwords, attempt(account: "1", from: "198.51.100.1")))
        for _ in 0..<5 {
            #expect(isLetThrough(passwords, attempt(account: "1", device: "phone")))
        }
        #expect(!isLetThrough(passwords, attempt(account: "1", device: "phone")))
        #expect(isLetThrough(passwords, attempt(account: "1", device: "laptop")))
    }

    @Test("WEB-BRUTE-1: no one is locked out for good, and old tries are forgotten")
    func noLockout() {
        for number in 0..<10_000 {
            _ = passwords.begin(attempt(from: "192.0.2.\(number % 200)"), at: start)
        }
        #expect(!isLetThrough(passwords, attempt(from: "198.51.100.1"), at: after(0.5)))
        #expect(isLetThrough(passwords, attempt(from: "198.51.100.1"), at: after(60)))
        for _ in 0..<5 {
            #expect(isLetThrough(passwords, attempt(from: "203.0.113.9"), at: after(86_400)))
        }
    }

    @Test("A clock that was set back makes no wait longer than it was")
    func clockSetBack() {
        for _ in 0..<6 { _ = passwords.begin(attempt(), at: after(100_000)) }
        // Set back a little, as requests that come out of order seem to be, and by a day.
        #expect(passwords.begin(attempt(), at: after(99_800)) == .wait(1))
        #expect(passwords.begin(attempt(), at: start) == .wait(1))
        #expect(passwords.begin(attempt(), at: after(0.5)) == .wait(0.5))
        #expect(passwords.begin(attempt(), at: after(1)) == .proceed)
        // And what is long ago is forgotten.
        for _ in 0..<5 {
            #expect(isLetThrough(passwords, attempt(), at: after(86_400)))
        }
    }

    @Test("Knocking during a wait neither lengthens it nor is checked")
    func knocking() {
        for _ in 0..<6 { _ = passwords.begin(attempt(), at: start) }
        for _ in 0..<100 {
            #expect(passwords.begin(attempt(), at: after(0.5)) == .wait(0.5))
        }
        #expect(isLetThrough(passwords, attempt(), at: after(1)))
    }

    @Test("A correct password takes its own try back, and clears no count")
    func right() {
        // A person who types well never waits.
        for _ in 0..<100 {
            #expect(isLetThrough(passwords, attempt()))
            passwords.wasRight(attempt(), at: start)
        }
        // An attacker with an account of his own clears nothing by signing in to it.
        for _ in 0..<5 { _ = passwords.begin(attempt("victim"), at: start) }
        #expect(isLetThrough(passwords, attempt("own")))
        passwords.wasRight(attempt("own"), at: start)
        #expect(!isLetThrough(passwords, attempt("victim")))
        // Nor are one's own four mistakes forgotten.
        let typist = attempt("typist")
        for _ in 0..<4 { _ = passwords.begin(typist, at: start) }
        #expect(isLetThrough(passwords, typist))
        passwords.wasRight(typist, at: start)
        #expect(isLetThrough(passwords, typist))
        #expect(!isLetThrough(passwords, typist))
    }

    @Test("Many tries at once do not slip through while the first are still being checked")
    func race() async {
        for _ in 0..<20 {
            let passwords = FailedPasswords()
            let through = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask { self.isLetThrough(passwords, self.attempt()) }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(through == 5)
        }
    }

    @Test("A flood of names and addresses makes no exhausted name usable again")
    func flood() {
        var policy = FailedPasswords.Policy()
        policy.counts = 64
        let passwords = FailedPasswords(policy)
        for _ in 0..<5 { _ = passwords.begin(attempt(), at: start) }
        for number in 0..<10_000 {
            _ = passwords.begin(attempt("\(number)", from: "\(number)"), at: start)
        }
        #expect(!isLetThrough(passwords, attempt()))
    }
}

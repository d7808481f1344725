import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoAdministration
@testable import PorticoProvider

@Suite("Places for hashing passwords") struct HashingPlacesTests {
    private static func asker(_ address: String, _ account: String, isSuspect: Bool = false)
        -> HashingAsker
    {
        HashingAsker(address: address, account: account, isSuspect: isSuspect)
    }

    /// How many of so many get in, and stay.
    private static func fill(
        _ places: inout HashingPlaces,
        _ count: Int,
        cost: Int = 1,
        _ asker: (Int) -> HashingAsker
    ) -> [Int] {
        var inside: [Int] = []
        for number in 0..<count {
            guard let admission = places.admit(asker(number), cost: cost) else { continue }
            inside.append(admission.job)
            inside.removeAll { admission.displaced.contains($0) }
        }
        return inside
    }

    @Test(
        "WEB-BRUTE-1: no address and no account keeps others out, mistakes or not",
        arguments: [true, false]
    )
    func fair(byAddress: Bool) {
        var places = HashingPlaces(34, threads: 2)
        // One person with the right password, by very many connections.
        let one = Self.fill(&places, 60) { number in
            byAddress ? Self.asker("one", "a\(number)") : Self.asker("n\(number)", "one")
        }
        #expect(one.count == 34, "all of it, as long as no one else is there")
        let others = Self.fill(&places, 20) { Self.asker("other \($0)", "person \($0)") }
        #expect(others.count == 20)
        // And the first gets in again only for what they have themselves.
        let again = places.admit(Self.asker("one", "one"))
        #expect(again == nil || again?.displaced.allSatisfy { one.contains($0) } == true)
    }

    @Test(
        "WEB-BRUTE-1: at one address no account keeps others out, and from one address no one else's",
        arguments: [true, false]
    )
    func shared(isAddress: Bool) throws {
        var places = HashingPlaces(34, threads: 2)
        func asker(_ name: String) -> HashingAsker {
            isAddress ? Self.asker("office", name) : Self.asker(name, "ann")
        }
        let one = Self.fill(&places, 60) { _ in asker("one") }
        #expect(one.count == 34)
        // Those who share the address, or the account, and then anyone else: each gets one of the
        // first's.
        for number in 0..<20 {
            let other =
                number < 10 ? asker("other \(number)") : Self.asker("n\(number)", "a\(number)")
            let displaced = places.admit(other)?.displaced ?? []
            #expect(displaced.count == 1)
            #expect(displaced.allSatisfy { one.contains($0) }, "\(number)")
        }
        #expect(places.admit(asker("one")) == nil, "they have still more than any other")
        #expect(places.admit(asker("other 1")) != nil)
    }

    @Test("WEB-BRUTE-1: two who want everything share it")
    func share() {
        var places = HashingPlaces(32, threads: 2)
        _ = Self.fill(&places, 100) { _ in Self.asker("one", "one") }
        let second = Self.fill(&places, 100) { _ in Self.asker("two", "two") }
        #expect((15...16).contains(second.count))
    }

    @Test("Who runs is not displaced, and each that leaves makes room for the first that waits")
    func order() throws {
        var places = HashingPlaces(3, threads: 1)
        func admit(_ name: String) -> HashingPlaces.Admission? {
            places.admit(Self.asker(name, name))
        }
        func leave(_ job: Int) -> Int? { places.leave(job) }
        let one = try #require(admit("one"))
        #expect(one.runs)
        let waiting = (0..<2).compactMap { _ in admit("one") }
        try #require(waiting.count == 2)
        #expect(waiting.allSatisfy { !$0.runs })
        let other = try #require(admit("two"))
        #expect(other.displaced == [waiting[1].job])
        #expect(leave(one.job) == waiting[0].job)
        #expect(leave(waiting[0].job) == other.job)
        #expect(leave(other.job) == nil)
        #expect(leave(other.job) == nil, "once")
        let last = try #require(admit("three"))
        #expect(last.runs)
    }

    @Test("WEB-BRUTE-1: however many addresses guess, others have half of the places to hash")
    func suspects() {
        var places = HashingPlaces(34, threads: 2)
        for number in 0..<20 {
            let suspect = Self.asker("address \(number)", "name \(number)", isSuspect: true)
            let inside = Self.fill(&places, 20) { _ in suspect }
            // A quarter for one of them.
            if number == 0 { #expect(inside.count == 8) }
        }
        let others = Self.fill(&places, 30) { Self.asker("n\($0)", "a\($0)") }
        #expect(others.count >= 17)
    }

    @Test("Costly hashes take as many places, and leave a quarter; of those, too, each has a share")
    func costly() {
        var places = HashingPlaces(40, threads: 2)
        let one = Self.fill(&places, 20, cost: 5) { _ in Self.asker("one", "one") }
        #expect(one.count == 6)
        let cheap = Self.fill(&places, 10) { Self.asker("n\($0)", "a\($0)") }
        #expect(cheap.count == 10)
        let other = places.admit(Self.asker("two", "two"), cost: 5)
        #expect(other?.displaced.count == 1)
    }

    @Test("Without places no one gets in")
    func none() {
        var places = HashingPlaces(0, threads: 1)
        #expect(places.admit(Self.asker("one", "one")) == nil)
    }

    @Test("WEB-BRUTE-1: one person by sixty connections delays another, and refuses them nothing")
    func passwords() async throws {
        let hashing = PasswordHashing(threads: 1, mostWaiting: 16, random: .system)
        let password = try #require(PasswordText("correct horse"))
        let hash = try await hashing.hash(password, for: .server, random: .system)
        let one = Self.asker("one", "one")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    do {
                        let isRight = try await hashing.verify(password, against: hash, for: one)
                        #expect(isRight)
                    } catch is PasswordHashing.Busy {
                        // Some of them are.
                    }
                }
            }
            for number in 0..<8 {
                let other = Self.asker("n\(number)", "a\(number)")
                #expect(try await hashing.verify(password, against: hash, for: other))
            }
            try await group.waitForAll()
        }
        await hashing.shutDown()
    }
    @Test(
        "WEB-BRUTE-1: who goes while they wait for a hash gives their place back",
        .timeLimit(.minutes(1))
    )
    func gone() async throws {
        let occupied = OccupiedHashing(places: 16)
        let password = try #require(PasswordText("correct horse"))
        let hash = try Argon2id.hash(password.bytes, random: .system)
        try await occupied.take(costly: 3, cheap: 4, for: Self.asker("one", "one"))
        occupied.leave()
        // Whoever comes next does not wait behind those who have gone.
        let isRight = try await occupied.hashing.verify(
            password,
            against: hash,
            for: Self.asker("two", "two")
        )
        #expect(isRight)
        await occupied.hashing.shutDown()
    }
}

/// One thread for hashing, and one asker who has all the places for it that they may have. The first of
/// their hashes has the thread for a second or so.
final class OccupiedHashing: Sendable {
    let hashing: PasswordHashing
    private let tasks = Locked<[Task<Void, any Error>]>([])
    private let refused = Locked(0)

    init(places: Int) {
        hashing = PasswordHashing(threads: 1, mostWaiting: places - 1, random: .system)
    }

    /// Also after a test that has failed on its way: no threads are given back that still run.
    deinit {
        let hashing = hashing
        Task { await hashing.shutDown() }
    }

    /// How many have not got in, or had to leave.
    var refusals: Int { refused.withLock { $0 } }

    /// Takes the places, and makes sure that there is no further one.
    ///
    /// - Parameters:
    ///   - costly: How many hashes get in that take a quarter of all places each.
    ///   - cheap: How many others do after them.
    func take(costly: Int, cheap: Int, for asker: HashingAsker) async throws {
        try await take(costly, Self.costly, asker)
        try await take(cheap, nil, asker)
    }

    /// Who still waits goes. The one that has the thread keeps it until it is done.
    func leave() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    private func take(_ count: Int, _ hash: PasswordHash?, _ asker: HashingAsker) async throws {
        let password = try #require(PasswordText("correct horse"))
        let before = refusals
        for _ in 0...count {
            let task = Task {
                do {
                    _ = try await self.hashing.verify(password, against: hash, for: asker)
                } catch let busy as PasswordHashing.Busy {
                    self.refused.withLock { $0 += 1 }
                    throw busy
                }
            }
            tasks.withLock { $0.append(task) }
        }
        // Of so many one is refused only where all others are in.
        try await waitUntil("all places are taken") { refusals > before }
    }

    private static let costly = PasswordHash(
        encoded: "$pbkdf2-sha256$i=5000000,l=32$AAECAwQFBgcICQoLDA0ODw"
            + "$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ"
    )
}

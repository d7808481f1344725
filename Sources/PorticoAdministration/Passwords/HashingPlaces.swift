import PorticoWeb

/// For whom a password is hashed: by what the places are shared.
package struct HashingAsker: Hashable, Sendable {
    let address: LimitKey
    /// The account, or the name that was typed.
    let account: LimitKey
    /// Whether there were so many wrong tries that they may take only a quarter of the places, and with
    /// all others like them half.
    let isSuspect: Bool

    package init(address: String, account: String, isSuspect: Bool = false) {
        self.address = LimitKey("hashing address", address)
        self.account = LimitKey("hashing account", account)
        self.isSuspect = isSuspect
    }

    /// The server itself, where no request asks: a command, or an import.
    package static let server = HashingAsker(address: "", account: "")
}

/// Counts who is hashing, or waiting to (WEB-BRUTE-1).
///
/// As long as there is room, everyone may have it. Where all places are taken, one who waits leaves for
/// another, if their address, or their account, has more places than the other one's would have with it:
/// so no address and no account keeps others out, whether its passwords are right or wrong. What
/// the two share does not count between them: people at one address share it by their accounts.
///
/// A hash that costs as much as several of ours takes as many places, up to a quarter of all. Such
/// hashes together leave a quarter to the others.
struct HashingPlaces: Sendable {
    private struct Job: Sendable {
        let number: Int
        let asker: HashingAsker
        let places: Int
        let isCostly: Bool
        var isRunning: Bool
    }

    struct Admission: Sendable {
        /// Its number.
        let job: Int
        /// Whether there is a thread for it now.
        let runs: Bool
        /// The jobs that have left for it, of those that waited.
        var displaced: [Int]
    }

    private enum Shortage {
        case ofAll, ofCostly, ofSuspects
        /// It has what it may have.
        case own
    }

    private let most: Int
    private let threads: Int
    private var next = 0
    private var running = 0
    /// In the order in which they came.
    private var jobs: [Job] = []
    private var taken = 0
    private var takenByCostly = 0
    private var takenBySuspects = 0
    /// By address and account; only of those who are here, so never more than twice all places.
    private var held: [LimitKey: Int] = [:]
    private var heldBySuspect: [LimitKey: Int] = [:]

    init(_ most: Int, threads: Int) {
        self.most = most
        self.threads = threads
    }

    private var quarter: Int { max(1, most / 4) }

    /// - Returns: `nil` where there is no room, and no one who has more.
    mutating func admit(_ asker: HashingAsker, cost: Int = 1) -> Admission? {
        var after = self
        var job = Job(
            number: next,
            asker: asker,
            places: min(cost, quarter),
            isCostly: cost > 1,
            isRunning: false
        )
        var displaced: [Int] = []
        while let shortage = after.shortage(for: job) {
            guard let other = after.heaviest(shortage, beside: job),
                after.excess(of: other, over: job) > 0
            else { return nil }
            after.remove(other)
            displaced.append(other.number)
        }
        job.isRunning = after.running < threads
        after.add(job)
        after.next &+= 1
        self = after
        return Admission(job: job.number, runs: job.isRunning, displaced: displaced)
    }

    /// - Returns: The job that gets its thread.
    mutating func leave(_ number: Int) -> Int? {
        guard let job = jobs.first(where: { $0.number == number }) else { return nil }
        remove(job)
        guard running < threads, let index = jobs.firstIndex(where: { !$0.isRunning }) else {
            return nil
        }
        jobs[index].isRunning = true
        running += 1
        return jobs[index].number
    }

    private func shortage(for job: Job) -> Shortage? {
        let places = job.places
        if job.asker.isSuspect, heldBySuspect[job.asker.address, default: 0] + places > quarter {
            return .own
        }
        if taken + places > most { return .ofAll }
        if job.isCostly, takenByCostly + places > max(1, most - quarter) { return .ofCostly }
        if job.asker.isSuspect, takenBySuspects + places > max(1, most / 2) { return .ofSuspects }
        return nil
    }

    /// Of those that wait and whose places it is about, the one that has the most beside the new
    /// one; of those at one address the one whose account has the most; of equal ones the last.
    private func heaviest(_ shortage: Shortage, beside new: Job) -> Job? {
        let others = jobs.filter { job in
            guard !job.isRunning else { return false }
            return switch shortage {
            case .ofAll: true
            case .ofCostly: job.isCostly
            case .ofSuspects: job.asker.isSuspect
            case .own: false
            }
        }
        func weight(_ job: Job) -> (Int, Int, Int) {
            let all = held[job.asker.address, default: 0] + held[job.asker.account, default: 0]
            return (excess(of: job, over: new), all, job.number)
        }
        return others.max { weight($0) < weight($1) }
    }

    /// How much more one that is here has than the new one would have, by the address or the
    /// account that they do not share.
    private func excess(of job: Job, over new: Job) -> Int {
        let isElsewhere = job.asker.address != new.asker.address
        let isOther = job.asker.account != new.asker.account
        func weight(_ asker: HashingAsker) -> Int {
            max(
                isElsewhere ? held[asker.address, default: 0] : 0,
                isOther ? held[asker.account, default: 0] : 0
            )
        }
        return weight(job.asker) - weight(new.asker) - new.places
    }

    private mutating func add(_ job: Job) {
        jobs.append(job)
        count(job, 1)
    }

    private mutating func remove(_ job: Job) {
        jobs.removeAll { $0.number == job.number }
        count(job, -1)
    }

    private mutating func count(_ job: Job, _ sign: Int) {
        let places = sign * job.places
        taken += places
        if job.isRunning { running += sign }
        if job.isCostly { takenByCostly += places }
        for key in [job.asker.address, job.asker.account] {
            held[key] = Self.sum(held[key], places)
        }
        guard job.asker.isSuspect else { return }
        takenBySuspects += places
        heldBySuspect[job.asker.address] = Self.sum(heldBySuspect[job.asker.address], places)
    }

    private static func sum(_ former: Int?, _ more: Int) -> Int? {
        let sum = (former ?? 0) + more
        return sum > 0 ? sum : nil
    }
}

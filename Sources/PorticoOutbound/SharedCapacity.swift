import PorticoBytes
import PorticoProtocol

/// What hosts share: requests under way, or bytes of answers.
///
/// A host, and of one that the operator has named each server, gets at most a part of what the others
/// leave, so that one that does not answer leaves most of it to them, and many are needed to take
/// everything: some forty where it is an eighth of 256. So does a person, of what their host gets.
package final class SharedCapacity: Sendable {
    /// A person at a host.
    private struct Party: Hashable {
        let host: Hash256
        let person: String
    }

    private struct State {
        var taken = 0
        var byHost: [Hash256: Int] = [:]
        var byParty: [Party: Int] = [:]
    }

    private let all: Int
    private let part: Int
    private let person: (most: Int, of: Int)
    private let state = Locked(State())

    /// - Parameters:
    ///   - part: What a host gets of it at most: 8 is an eighth.
    ///   - person: What a person gets at most of what others leave of their host's: (5, 8) are five
    ///     eighths.
    package init(_ all: Int, part: Int, person: (most: Int, of: Int) = (1, 1)) {
        self.all = all
        self.part = max(1, part)
        self.person = (person.most, max(1, person.of))
    }

    /// - Parameters:
    ///   - host: In lower case.
    ///   - person: `nil`: the host's alone.
    /// - Returns: Whether there were as many for it.
    func take(_ count: Int, for host: String, _ person: String? = nil) -> Bool {
        let host = Hash256(of: host)
        return state.withLock { state in
            let own = state.byHost[host, default: 0]
            let left = all - (state.taken - own)
            // The last ones, too few for parts, go one to each.
            let most = max(left / part, min(left, 1))
            guard own + count <= most else { return false }
            if let person {
                let party = Party(host: host, person: person)
                let theirs = state.byParty[party, default: 0]
                guard theirs + count <= ofPerson(most - (own - theirs)) else { return false }
                state.byParty[party] = theirs + count
            }
            state.byHost[host] = own + count
            state.taken += count
            return true
        }
    }

    /// - Parameter left: Of a host's, by its other people.
    private func ofPerson(_ left: Int) -> Int {
        max(left * person.most / person.of, min(left, 1))
    }

    func giveBack(_ count: Int, for host: String, _ person: String? = nil) {
        let host = Hash256(of: host)
        state.withLock { state in
            if let person {
                let party = Party(host: host, person: person)
                let theirs = state.byParty[party, default: count] - count
                state.byParty[party] = theirs > 0 ? theirs : nil
            }
            let left = state.byHost[host, default: count] - count
            state.byHost[host] = left > 0 ? left : nil
            state.taken -= count
        }
    }
}

extension HTTPAddress {
    /// What shares a capacity: a machine may have several servers.
    var server: String { "\(host):\(port)" }
}

/// What one answer has of a capacity. It is given back with the last reference.
final class CapacityShare: Sendable {
    private let capacity: SharedCapacity
    private let host: String
    private let person: String?
    private let taken = Locked(0)

    init(of capacity: SharedCapacity, for host: String, _ person: String?) {
        self.capacity = capacity
        self.host = host
        self.person = person
    }

    deinit {
        capacity.giveBack(taken.withLock { $0 }, for: host, person)
    }

    /// - Returns: Whether there was as much.
    func take(_ count: Int) -> Bool {
        guard capacity.take(count, for: host, person) else { return false }
        taken.withLock { $0 += count }
        return true
    }
}

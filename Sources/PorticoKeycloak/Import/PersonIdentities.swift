import PorticoBytes
import PorticoStores

/// Gives the people of one chunk the accounts at other providers that they may have: those that no one
/// else has, or that another of them gives up.
enum PersonIdentities {
    /// Who else has it keeps an account, who would have got it keeps the one that they have there, and
    /// the next import tries again.
    ///
    /// - Parameters:
    ///   - owners: Who has the accounts of all of them here, in their order.
    ///   - out: The places of those who are left out, and get none.
    /// - Returns: The providers of accounts that are left out, by the places of people.
    static func settle(
        _ people: inout [PlannedPerson],
        _ owners: [String?],
        without out: Set<Int>
    ) -> [Int: [String]] {
        let byID = Dictionary(people.indices.map { (people[$0].new.person.id, $0) }) { one, _ in one
        }
        var known: [[ExactText]: String] = [:]
        for (identity, owner) in zip(people.flatMap(\.new.identities), owners) {
            known[identity.key] = owner
        }
        var left: [Int: [String]] = [:]
        var isSettled = false
        // Each that is kept may be one that another one would have got.
        while !isSettled {
            isSettled = true
            var holders: [[ExactText]: String] = [:]
            for person in people {
                for identity in person.new.identities {
                    guard let owner = known[identity.key] else { continue }
                    let isOthers = byID[owner] == nil
                    if isOthers || owner == person.new.person.id { holders[identity.key] = owner }
                }
            }
            for index in people.indices where !out.contains(index) {
                let id = people[index].new.person.id
                let refused = people[index].new.identities.first { identity in
                    guard let holder = holders[identity.key] else {
                        // Of those who would get it, the first does.
                        holders[identity.key] = id
                        return false
                    }
                    return holder != id
                        && left[index]?.contains { sameBytes($0, identity.provider) } != true
                }
                guard let refused else { continue }
                people[index].keepIdentity(at: refused.provider)
                left[index, default: []].append(refused.provider)
                isSettled = false
            }
        }
        return left
    }
}

extension FederatedIdentity {
    fileprivate var key: [ExactText] { [ExactText(provider), ExactText(subject)] }
}

extension PlannedPerson {
    /// The account of before, or none.
    fileprivate mutating func keepIdentity(at provider: String) {
        func isThere(_ identity: FederatedIdentity) -> Bool {
            sameBytes(identity.provider, provider)
        }
        new.identities.removeAll(where: isThere)
        new.identities += (former?.identities ?? []).filter(isThere)
        forget(.identity(provider))
    }
}

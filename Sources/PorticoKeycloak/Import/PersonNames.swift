import PorticoStores

/// Gives the people of one chunk the user names, addresses and DIDs that they may have: those that no
/// one else has, or that another of them gives up. They may exchange them.
struct PersonNames {
    /// Who in the realm has a name, by the name.
    private let owners: [String: String]
    private let path: WritableKeyPath<Person, String?>

    private init(_ owners: [String: String], _ path: WritableKeyPath<Person, String?>) {
        self.owners = owners
        self.path = path
    }

    /// - Returns: Which of them are told that their user name, address or DID is someone else's.
    ///   Those who are here keep the ones that they have; a new one with such a user name is left out.
    static func settle(
        _ people: inout [PlannedPerson],
        _ owners: (usernames: [String: String], emails: [String: String]),
        dids: [String: String]
    ) -> (usernames: Set<Int>, emails: Set<Int>, dids: Set<Int>) {
        let usernames = PersonNames(owners.usernames, \.nameIfAny).settle(&people)
        let left = Set(usernames.filter { people[$0].former == nil })
        let emails = PersonNames(owners.emails, \.email).settle(&people, without: left)
        let dids = PersonNames(dids, \.didIfAny).settle(&people, without: left)
        for index in emails { people[index].keepVerification() }
        for index in dids { people[index].keepDID() }
        for index in usernames { people[index].forget(.username) }
        for index in emails { people[index].forget(.email) }
        return (usernames, emails, dids)
    }

    /// Each that goes back to the name of before may take it from another one.
    private func settle(_ people: inout [PlannedPerson], without left: Set<Int> = []) -> Set<Int> {
        var refused: Set<Int> = []
        let indices = people.indices.filter { !left.contains($0) }
        let byID = Dictionary(indices.map { (people[$0].new.person.id, $0) }) { first, _ in first }
        var isSettled = false
        while !isSettled {
            isSettled = true
            var keepers: [String: Int] = [:]
            for index in indices {
                guard let name = people[index].new.person[keyPath: path] else { continue }
                if people[index].former?.person[keyPath: path] == name { keepers[name] = index }
            }
            var takers: [String: Int] = [:]
            for index in indices where !refused.contains(index) {
                let person = people[index].new.person
                guard let name = person[keyPath: path] else { continue }
                guard keepers[name] != index else { continue }
                let owner = owners[name]
                // One of them who does not keep it gives it up.
                let isOthers = owner != nil && owner != person.id && byID[owner ?? ""] == nil
                guard isOthers || keepers[name] != nil || takers[name] != nil else {
                    takers[name] = index
                    continue
                }
                refused.insert(index)
                people[index].new.person[keyPath: path] =
                    people[index].former?.person[keyPath: path]
                isSettled = false
                break
            }
        }
        return refused
    }
}

extension Person {
    /// The user name, as something that is there or not.
    fileprivate var nameIfAny: String? {
        get { username }
        set { if let newValue { username = newValue } }
    }

    fileprivate var didIfAny: String? {
        get { did }
        set { attributes[Self.didAttribute] = newValue.map { [$0] } }
    }
}

extension PlannedPerson {
    /// An address that goes back is as proven as it was.
    fileprivate mutating func keepVerification() {
        new.person.isEmailVerified = former?.person.isEmailVerified ?? false
        keep(action: RequiredAction.verifyEmail)
        forget(.action(RequiredAction.verifyEmail))
    }

    /// What stood there was no DID, perhaps.
    fileprivate mutating func keepDID() {
        let name = Person.didAttribute
        new.person.attributes[name] = former?.person.attributes[name]
        forget(FieldPath("attributes", name))
    }

    /// The next import tries again.
    mutating func forget(_ path: FieldPath) {
        fields.keep(path, of: noted)
    }
}

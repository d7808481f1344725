import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A person as a file has them, over what is kept of them.
struct PersonDifference {
    let existing: ExistingRealm
    let here: PeopleHere
    let conflict: ImportConflict
    let seal: CredentialSeal

    /// - Parameter seen: Takes the ids of those who are here and are not missing in the file.
    /// - Returns: `nil` where they are left out, or stay as they are.
    func callAsFunction(
        _ file: NewPerson,
        at moment: Moment,
        seen: inout SeenTexts,
        report: inout ImportReport
    ) throws -> PersonChange? {
        var new = file
        let subject = "user \(new.person.username)"
        new.take(here.id(of: new.person))
        _ = seen.insert(new.person.id)
        let former = here.kept[new.person.id]
        if let former, former.person.serviceClientID != new.person.serviceClientID {
            let words: StaticString = "is not the account of the same client here: left out"
            report.add(.skipped, subject, "\(words)")
            return nil
        }
        if here.isGone(new.person.id) {
            let words: StaticString = "was deleted here, or is someone in another realm: left out"
            report.add(.skipped, subject, "\(words)")
            return nil
        }
        if former == nil ? isAccountOfKept(new.person) : !mayWriteOver(new.person) {
            report.add(.stays, subject, "\(ImportDifference.stays)")
            return nil
        }
        if let taken = here.taken(new) {
            _ = seen.insert(taken.owner)
            report.add(.skipped, subject, "\(taken.what)")
            return nil
        }
        guard let former else {
            report.add(.written, subject, "new")
            return PersonChange(new, from: nil)
        }
        new.person.createdAt = former.person.createdAt
        // Someone who was signed out everywhere here stays so.
        new.person.notBefore = max(file.person.notBefore, former.person.notBefore)
        new.person.updatedAt = former.person.updatedAt
        // Someone signs in by a DID here, and few files know of DIDs; nor of what providers said.
        for name in [Person.didAttribute, "locale", "picture"]
        where new.person.attributes[name] == nil {
            new.person.attributes[name] = former.person.attributes[name]
        }
        if former.person.givenName == nil, former.person.familyName == nil,
            new.person.givenName == former.person.name
        {
            new.person.givenName = nil
        }
        new.credentials = try credentials(new.credentials, over: former.credentials)
        let change = PersonChange(new, from: former)
        guard change.differs else { return change }
        let names = change.members.joined(separator: ", ")
        report.add(.written, subject, names, "differs from what is here: written over")
        new.person.updatedAt = moment.seconds
        return PersonChange(new, from: former)
    }

    /// The account of a client is what the file says of that.
    private func mayWriteOver(_ person: Person) -> Bool {
        conflict.writesOverPeople || conflict.writesOver && person.serviceClientID != nil
    }

    /// Where things stay as they are, no one becomes the account of a client that is here.
    private func isAccountOfKept(_ person: Person) -> Bool {
        guard !conflict.writesOver, let client = person.serviceClientID else { return false }
        return existing.names[ThingID(.client, client)] != nil
    }

    /// One that is here already is the same, whatever its id and seal: what it has been used for counts.
    private func credentials(_ said: [Credential], over kept: [Credential]) throws -> [Credential] {
        var rest = kept
        return try said.map { credential in
            let secret = try seal.open(credential.sealedSecret, of: credential.id).reveal()
            let place = try rest.firstIndex { here in
                guard here.kind == credential.kind, here.label == credential.label,
                    here.createdAt == credential.createdAt,
                    here.parameters == credential.parameters
                else { return false }
                return sameBytes(try seal.open(here.sealedSecret, of: here.id).reveal(), secret)
            }
            return place.map { rest.remove(at: $0) } ?? credential
        }
    }
}

extension NewPerson {
    fileprivate mutating func take(_ id: String) {
        person.id = id
        for index in credentials.indices { credentials[index].personID = id }
    }
}

extension PersonChange {
    var differs: Bool { former == nil || !members.isEmpty }

    /// What is written over, in words of a file.
    fileprivate var members: [String] {
        guard let former else { return [] }
        let (one, other) = (former.person, person.person)
        var members: [String] = []
        func add(_ name: String, _ isSame: Bool) { if !isSame { members.append(name) } }
        add("username", one.username == other.username)
        add("email", one.email == other.email && one.isEmailVerified == other.isEmailVerified)
        add("firstName", one.givenName == other.givenName)
        add("lastName", one.familyName == other.familyName)
        add(other.isEnabled ? "enabled on" : "enabled off", one.isEnabled == other.isEnabled)
        add("notBefore", one.notBefore == other.notBefore)
        add("attributes", one.attributes == other.attributes)
        add("requiredActions", Set(one.requiredActions) == Set(other.requiredActions))
        add("password", former.password == person.password)
        let roles = Set(former.roles.map(\.text)).changes(to: Set(person.roles.map(\.text)))
        add("roles \(roles)", roles.isEmpty)
        add("groups", Set(former.groupIDs) == Set(person.groupIDs))
        add("credentials", Set(former.credentials) == Set(person.credentials))
        add("federatedIdentities", Set(former.identities) == Set(person.identities))
        func allowed(_ person: NewPerson) -> [String: Set<String>] {
            Dictionary(person.consents.map { ($0.clientID, Set($0.scope.tokens)) }) { $1 }
        }
        add("clientConsents", allowed(former) == allowed(person))
        return members
    }
}

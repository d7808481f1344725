import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A person as a file has them, over what is kept of them.
struct PersonDifference {
    let seal: CredentialSeal
    let unsaid: UnsaidRights

    /// - Parameter holdsPassword: Whether the file has the password itself.
    func callAsFunction(
        _ file: NewPerson,
        holdsPassword: Bool,
        over kept: KeptPerson
    ) throws -> PlannedPerson {
        let fields = file.imported.flatMap(ImportedFields.init(document:)) ?? ImportedFields()
        let former = kept.imported.flatMap(ImportedFields.init(document:))
        var planned = PlannedPerson(new: file, former: kept, fields: fields, noted: former)
        var way = ThreeWay(former)
        if former != nil {
            planned.fields.keep(unsaid.paths, of: former)
            merge(&planned.new, over: kept, &way)
        } else if planned.new.person.attributes[Person.didAttribute] == nil {
            // Someone signs in by it here, and few files know of DIDs.
            let did = kept.person.attributes[Person.didAttribute]
            planned.new.person.attributes[Person.didAttribute] = did
        }
        planned.new.person.id = kept.person.id
        planned.new.person.createdAt = kept.person.createdAt
        planned.new.person.serviceClientID = kept.person.serviceClientID
        planned.new.person.updatedAt = kept.person.updatedAt
        // Who was signed out everywhere here stays so.
        planned.new.person.notBefore = max(file.person.notBefore, kept.person.notBefore)
        // A hash cannot be compared with a password, nor is it worth less.
        var refused: [FieldPath] = []
        if file.password == nil || holdsPassword, kept.password != nil {
            planned.new.password = kept.password
        } else if former != nil {
            planned.new.password = password(file.password, over: kept, &way)
        } else if kept.hasChosenPassword, kept.password != nil {
            // Chosen since the realm was looked at: until then no one had chosen one.
            planned.new.password = kept.password
            refused.append(.password)
        }
        if kept.hasChosenPassword { planned.keep(action: RequiredAction.updatePassword) }
        if planned.new.person.hasAddress(of: kept.person), !file.person.hasAddress(of: kept.person)
        {
            planned.keep(action: RequiredAction.verifyEmail)
        }
        planned.fields.keep(all: .everSaid, of: former)
        let credentials = try self.credentials(planned.new.credentials, over: kept, former)
        planned.new.credentials = credentials.taken
        planned.new.consents = planned.new.consents.filter { consent in
            let here = kept.consents[consent.clientID].map { Scope(tokens: $0).note }
            let path = FieldPath.consent(consent.clientID)
            guard !Set(kept.consents[consent.clientID] ?? []).isSuperset(of: consent.scope.tokens)
            else { return false }
            return former == nil || way.takes(consent.scope.note, over: here, at: path)
        }
        planned.refused = way.refused + refused + credentials.refused
        return planned
    }

    private func merge(_ new: inout NewPerson, over kept: KeptPerson, _ way: inout ThreeWay) {
        let fields = way.merged(new.person.fields, kept.person.fields)
        let actions = way.merged(
            Set(new.person.requiredActions),
            Set(kept.person.requiredActions)
        ) { .action($0) }
        new.person = kept.person.with(fields)
        if actions != Set(kept.person.requiredActions) {
            new.person.requiredActions = actions.sorted()
        }
        new.roles = Array(
            way.merged(Set(new.roles), unsaid.said(Set(kept.roles))) {
                .role($0, in: ImportNotes.roles)
            }.union(unsaid.unsaid(Set(kept.roles)))
        )
        new.groupIDs = Array(
            way.merged(Set(new.groupIDs), unsaid.said(Set(kept.groupIDs))) { .group($0) }
                .union(unsaid.unsaid(Set(kept.groupIDs)))
        )
        new.identities = identities(new.identities, over: kept.identities, &way)
    }

    private func identities(
        _ file: [FederatedIdentity],
        over kept: [FederatedIdentity],
        _ way: inout ThreeWay
    ) -> [FederatedIdentity] {
        func byProvider(_ identities: [FederatedIdentity]) -> [ExactText: FederatedIdentity] {
            Dictionary(identities.map { (ExactText($0.provider), $0) }) { first, _ in first }
        }
        let (said, here) = (byProvider(file), byProvider(kept))
        return Set(said.keys).union(here.keys).compactMap { provider in
            let path = FieldPath.identity(provider.text)
            let takes = way.takes(said[provider]?.note, over: here[provider]?.note, at: path)
            return takes ? said[provider] : here[provider]
        }
    }

    /// One that was only hashed anew here is the same.
    private func password(
        _ file: PasswordHash?,
        over kept: KeptPerson,
        _ way: inout ThreeWay
    ) -> PasswordHash? {
        let (said, here) = (file?.note, kept.password?.note)
        if !kept.hasChosenPassword, let former = way.former, !former.says(said, at: .password) {
            return file
        }
        return way.takes(said, over: here, at: .password) ? file : kept.password
    }

    /// Those that are new in the file, and those that it changed where they are here as the file of
    /// before said. One that was taken away here does not come back, in whatever words, and no
    /// recovery codes come where there were some.
    private func credentials(
        _ credentials: [Credential],
        over kept: KeptPerson,
        _ former: ImportedFields?
    ) throws -> (taken: [Credential], refused: [FieldPath]) {
        var taken: [Credential] = []
        var refused: [FieldPath] = []
        for credential in credentials {
            let same = kept.credentials.filter { $0.kind == credential.kind }
            if try former?.says(true, at: .credential(seal.note(of: credential))) == true {
                continue
            }
            let isTaken: Bool
            if let here = same.first(where: { sameBytes($0.id, credential.id) }) {
                if try seal.note(of: here) == seal.note(of: credential) { continue }
                isTaken =
                    try former?.says(true, at: .credential(seal.note(of: here))) ?? (here.used == 0)
            } else {
                let secret = try seal.secretNote(of: credential)
                if try same.contains(where: { try seal.secretNote(of: $0) == secret }) { continue }
                isTaken =
                    former?.says(.everSaid, at: .credential(secret)) != true
                    && former?.says(.everSaid, at: .credential(credential.id)) != true
                    && (credential.kind != .recoveryCodes
                        || same.isEmpty && former?.says(.everSaid, at: .recoveryCodes) != true)
            }
            let hasSpent = same.contains { $0.kind == .recoveryCodes && $0.used != 0 }
            if isTaken, !hasSpent {
                taken.append(credential)
            } else {
                refused.append(FieldPath("credentials", credential.kind.rawValue))
            }
        }
        return (taken, refused)
    }
}

/// A person as an import would write them.
struct PlannedPerson {
    var new: NewPerson
    /// `nil`: there is no one of that id yet.
    var former: KeptPerson?
    /// What the file says, for the note.
    var fields: ImportedFields
    /// What the file of before said.
    var noted: ImportedFields?
    var refused: [FieldPath] = []

    /// What must be done with something that stays as it is here is to be done still.
    mutating func keep(action: String) {
        guard let former, former.person.requiredActions.contains(action),
            !new.person.requiredActions.contains(action)
        else { return }
        let actions = new.person.requiredActions + [action]
        let isSame = Set(actions) == Set(former.person.requiredActions)
        new.person.requiredActions = isSame ? former.person.requiredActions : actions.sorted()
    }

    /// Whether more than the note differs.
    var differs: Bool {
        guard let former else { return true }
        return new.person != former.person || new.password != former.password
            || Set(new.roles) != Set(former.roles) || Set(new.groupIDs) != Set(former.groupIDs)
            || Set(new.identities) != Set(former.identities) || !new.credentials.isEmpty
            || !new.consents.isEmpty
    }

    /// - Returns: `nil` where there is nothing to write.
    func change(at now: Int64) -> PersonChange? {
        let differs = differs
        var imported = fields.document
        imported[RealmPart.madeID] = new.imported?[RealmPart.madeID]
        imported[RealmPart.formerIDs] = formerIDs
        guard differs || former?.imported != imported else { return nil }
        var new = new
        new.imported = imported
        if former != nil, differs { new.person.updatedAt = now }
        return PersonChange(new, from: former, differs: differs)
    }

    /// Those of user names that files took from them: another may have one, but who is deleted here does
    /// not come back under it.
    private var formerIDs: JSONValue? {
        guard let former else { return nil }
        var ids = former.imported?.strings(RealmPart.formerIDs) ?? []
        let made = Person.madeID(of: former.person.username, in: former.person.realmID)
        if former.person.username != new.person.username, made != former.person.id,
            !ids.contains(made)
        {
            ids.append(made)
        }
        return ids.isEmpty ? .none : .some(.texts(ids))
    }
}

extension Person {
    fileprivate func hasAddress(of other: Person) -> Bool {
        email == other.email && isEmailVerified == other.isEmailVerified
    }
}

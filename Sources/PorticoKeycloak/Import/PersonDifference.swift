import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A person as a file has them, over what is kept of them.
struct PersonDifference {
    let seal: CredentialSeal
    /// Whether it is known what the file of before said of the realm.
    let isNoted: Bool

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
        if isNoted { merge(&planned.new, over: kept, &way) }
        planned.new.person.id = kept.person.id
        planned.new.person.createdAt = kept.person.createdAt
        planned.new.person.serviceClientID = kept.person.serviceClientID
        planned.new.person.updatedAt = kept.person.updatedAt
        // Who was signed out everywhere here stays so.
        planned.new.person.notBefore = max(file.person.notBefore, kept.person.notBefore)
        // A hash cannot be compared with a password, nor is it worth less.
        if file.password == nil || holdsPassword, kept.password != nil {
            planned.new.password = kept.password
        } else if isNoted {
            planned.new.password = password(file.password, over: kept, &way)
        }
        let credentials = try self.credentials(planned.new.credentials, over: kept, former)
        planned.new.credentials = credentials.taken
        planned.new.consents = planned.new.consents.filter { consent in
            let scopes = consent.scope.tokens
            return !Set(kept.consents[consent.clientID] ?? []).isSuperset(of: scopes)
                && former?.says(consent.scope.note, at: .consent(consent.clientID)) != true
        }
        planned.refused = way.refused + credentials.refused
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
            way.merged(Set(new.roles), Set(kept.roles)) { .role($0, in: "roles") }
        )
        new.groupIDs = Array(
            way.merged(Set(new.groupIDs), Set(kept.groupIDs)) { .group($0) }
        )
        new.identities = Array(
            way.merged(Set(new.identities), Set(kept.identities)) { .identity($0) }
        )
    }

    /// One that was only hashed anew here is the same: whoever chose another was signed out everywhere.
    private func password(
        _ file: PasswordHash?,
        over kept: KeptPerson,
        _ way: inout ThreeWay
    ) -> PasswordHash? {
        let (said, here) = (file?.note, kept.password?.note)
        if kept.epoch == 0, let former = way.former, !former.says(said, at: .password) {
            return file
        }
        return way.takes(said, over: here, at: .password) ? file : kept.password
    }

    /// Those that are not there yet, under whatever id. One that a person has taken away here does not
    /// come back, and no recovery code that they have spent does.
    private func credentials(
        _ credentials: [Credential],
        over kept: KeptPerson,
        _ former: ImportedFields?
    ) throws -> (taken: [Credential], refused: [FieldPath]) {
        var taken: [Credential] = []
        var refused: [FieldPath] = []
        for credential in credentials {
            let note = try seal.note(of: credential)
            let isNoted = former?.says(true, at: .credential(note)) == true
            if try isNoted || isKept(credential, kept.credentials) { continue }
            let hasSpent = kept.credentials.contains { $0.kind == .recoveryCodes && $0.used != 0 }
            if credential.kind == .recoveryCodes, hasSpent || self.isNoted && former == nil {
                refused.append(FieldPath("credentials", credential.kind.rawValue))
            } else {
                taken.append(credential)
            }
        }
        return (taken, refused)
    }

    /// Whether a credential is there in the same form, under whatever id.
    private func isKept(_ credential: Credential, _ kept: [Credential]) throws -> Bool {
        for former in kept
        where former.kind == credential.kind && former.parameters == credential.parameters
            && former.createdAt == credential.createdAt && former.label == credential.label
        {
            let secret = try seal.open(former.sealedSecret, of: former.id)
            if try secret == seal.open(credential.sealedSecret, of: credential.id) { return true }
        }
        return false
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
        let (differs, imported) = (differs, fields.document)
        guard differs || former?.imported != imported else { return nil }
        var new = new
        new.imported = imported
        if former != nil, differs { new.person.updatedAt = now }
        return PersonChange(new, from: former, differs: differs)
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A person as a file has them, over what is kept of them.
struct PersonDifference {
    let seal: CredentialSeal
    /// Whether it is known what the file of before said of the realm.
    let isNoted: Bool
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
        if isNoted {
            planned.fields.keep(unsaid.paths, of: former)
            merge(&planned.new, over: kept, &way)
        }
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
        let hadCodes = former?.says(true, at: .recoveryCodes) == true
        if hadCodes { planned.fields.keep(.recoveryCodes, of: former) }
        let credentials = try self.credentials(planned.new.credentials, over: kept, former)
        planned.new.credentials = credentials.taken
        planned.new.consents = planned.new.consents.filter { consent in
            let here = kept.consents[consent.clientID].map { Scope(tokens: $0).note }
            let path = FieldPath.consent(consent.clientID)
            guard !Set(kept.consents[consent.clientID] ?? []).isSuperset(of: consent.scope.tokens)
            else { return false }
            return isNoted ? way.takes(consent.scope.note, over: here, at: path) : true
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
            way.merged(Set(new.roles), unsaid.said(Set(kept.roles))) {
                .role($0, in: ImportNotes.roles)
            }.union(unsaid.unsaid(Set(kept.roles)))
        )
        new.groupIDs = Array(
            way.merged(Set(new.groupIDs), unsaid.said(Set(kept.groupIDs))) { .group($0) }
                .union(unsaid.unsaid(Set(kept.groupIDs)))
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
                    try !isNoted || former?.says(true, at: .credential(seal.note(of: here))) == true
            } else {
                let secret = try seal.secretNote(of: credential)
                if try same.contains(where: { try seal.secretNote(of: $0) == secret }) { continue }
                isTaken =
                    former?.says(true, at: .credential(secret)) != true
                    && former?.says(true, at: .credential(credential.id)) != true
                    && (credential.kind != .recoveryCodes
                        || same.isEmpty && former?.says(true, at: .recoveryCodes) != true)
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

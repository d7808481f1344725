import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A person as a file has them, over what is kept of them.
struct PersonDifference {
    let seal: CredentialSeal
    let moment: Moment

    /// - Returns: `nil` where nothing differs.
    func callAsFunction(_ new: NewPerson, over kept: KeptPerson) throws -> NewPerson? {
        var new = new
        new.person.createdAt = kept.person.createdAt
        new.person.updatedAt = kept.person.updatedAt
        // Who was signed out everywhere here stays so.
        new.person.notBefore = max(new.person.notBefore, kept.person.notBefore)
        new.password = new.password ?? kept.password
        new.credentials = try new.credentials.filter { try !isKept($0, kept.credentials) }
        new.consents = new.consents.filter { consent in
            !Set(kept.consents[consent.clientID] ?? []).isSuperset(of: consent.scope.tokens)
        }
        let isSame =
            new.person == kept.person && new.password == kept.password
            && Set(new.roles) == Set(kept.roles) && Set(new.groupIDs) == Set(kept.groupIDs)
            && Set(new.identities) == Set(kept.identities) && new.credentials.isEmpty
            && new.consents.isEmpty
        if isSame { return nil }
        new.person.updatedAt = moment.seconds
        return new
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

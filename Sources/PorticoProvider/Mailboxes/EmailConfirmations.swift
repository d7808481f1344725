import PorticoBytes
import PorticoSeals
import PorticoStores

/// Lets people confirm their address by a code that is mailed (10 minutes, five tries).
struct EmailConfirmations: Sendable {
    let mailboxes: any PersonMailboxStore
    let limits: MailLimits
    let ring: KeyRing

    /// Seconds.
    static let lifetime: Int64 = 600

    /// Mails a code; an earlier one is worth nothing from then on.
    ///
    /// - Throws: ``TooManyRequests``.
    func send(to address: String, of person: Person, _ visit: RealmVisit) async throws {
        try limits.take(EmailAddress.folded(address) ?? address, visit)
        let codes = MailedCode(ring: ring)
        let code = MailedCode.draw(visit.moment.random)
        let owner = Self.owner(person)
        guard let hash = codes.hash(of: code, for: owner) else { return }
        let mailID = visit.moment.id()
        try await mailboxes.startConfirmation(
            EmailConfirmation(
                owner: owner,
                address: address,
                codeHash: hash,
                expiresAt: visit.now + Self.lifetime
            ),
            mail: MailDraft(
                .confirmationCode(
                    sealedCode: codes.seal(code, for: mailID, random: visit.moment.random),
                    minutes: Int(Self.lifetime / 60)
                ),
                id: mailID,
                to: address,
                visit
            )
        )
    }

    func confirm(_ code: String, of person: Person, _ visit: RealmVisit) async throws
        -> PersonEmailOutcome
    {
        let owner = Self.owner(person)
        guard let hash = MailedCode(ring: ring).hash(of: MailedCode.typed(code), for: owner) else {
            return .unknown
        }
        return try await mailboxes.confirm(
            hash,
            by: owner,
            of: person.id,
            realmID: visit.realm.realm.id,
            at: visit.now
        )
    }

    private static func owner(_ person: Person) -> Hash256 {
        Hash256(of: "person \(person.realmID) \(person.id)")
    }
}

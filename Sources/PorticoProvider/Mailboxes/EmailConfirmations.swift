import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Confirms a person's address with an emailed code (10 minutes, five tries).
struct EmailConfirmations: Sendable {
    let mailboxes: PersonMailboxStore
    let limits: MailLimits
    let ring: KeyRing

    /// In seconds.
    static let lifetime: Int64 = 600

    /// Emails a code; an earlier one is no longer valid.
    ///
    /// - Throws: ``TooManyRequests``.
    func send(to address: String, of person: Person, _ context: RealmContext) async throws {
        let verdict = limits.take(
            Self.mailbox(address, context),
            for: "person \(person.id)",
            from: context.address,
            at: context.moment
        )
        if case .wait(let seconds) = verdict { throw TooManyRequests(seconds: seconds) }
        let codes = MailedCode(ring: ring)
        let code = MailedCode.draw(context.moment.random)
        let owner = Self.owner(person)
        guard let hash = codes.hash(of: code, for: owner) else { return }
        let mailID = context.moment.id()
        try await mailboxes.startConfirmation(
            EmailConfirmation(
                owner: owner,
                address: address,
                codeHash: hash,
                expiresAt: context.now + Self.lifetime
            ),
            mail: MailDraft(
                .confirmationCode(
                    sealedCode: codes.seal(code, for: mailID, random: context.moment.random),
                    use: .confirmAddress,
                    minutes: Int(Self.lifetime / 60)
                ),
                id: mailID,
                to: address,
                context
            )
        )
    }

    func confirm(_ code: String, of person: Person, _ context: RealmContext) async throws
        -> PersonEmailOutcome
    {
        let owner = Self.owner(person)
        guard let hash = MailedCode(ring: ring).hash(of: code, for: owner) else {
            return .unknown
        }
        let outcome = try await mailboxes.confirm(
            hash,
            by: owner,
            of: person.id,
            realmID: context.realm.id,
            at: context.now
        )
        if case .wrong = outcome, let address = person.email {
            limits.countWrongCode(
                for: Self.mailbox(address, context),
                by: "person \(person.id)",
                at: context.moment
            )
        }
        return outcome
    }

    private static func mailbox(_ address: String, _ context: RealmContext) -> String {
        "\(context.realm.id) \(EmailAddress.folded(address) ?? address)"
    }

    private static func owner(_ person: Person) -> Hash256 {
        Hash256(of: "person \(person.realmID) \(person.id)")
    }
}

package import HTTPTypes
import PorticoBytes
import PorticoMail
import PorticoPages
import PorticoSeals
package import PorticoStores
import PorticoWeb

/// Six-digit codes that prove a mailbox (10 minutes, five tries).
package struct EmailCodes: Sendable {
    let accounts: AccountStore
    let ring: KeyRing
    let limits: MailLimits

    /// In seconds.
    package static let lifetime: Int64 = 600

    /// Sends a code to a new address for an account.
    ///
    /// - Parameter profile: The profile that the person entered in the same form.
    package func start(
        _ address: String,
        for account: Person,
        saying profile: ProfileChange? = nil,
        _ context: SignInContext
    ) async throws {
        try await send(
            to: address,
            owner: Self.owner(of: account),
            asker: Self.asker(account),
            use: .confirmAddress,
            account.language,
            saying: profile,
            context
        )
    }

    /// The page for entering the code sent to `address`. It carries the address, sealed for the
    /// account, so that another code can be sent to it.
    package func asking(_ address: String, for account: Person, _ context: SignInContext)
        -> LocalPath
    {
        let sealed = seal(of: account).seal(
            Array(address.utf8),
            at: context.moment.now,
            random: context.moment.random
        )
        return LocalPath("/account/email?request=\(sealed)") ?? .details
    }

    /// The address of a page from ``asking(_:for:_:)``, for an hour.
    func address(in request: String?, of account: Person, _ context: SignInContext) -> String? {
        guard let request,
            // `try?`: a text that does not open is ignored.
            let bytes = try? seal(of: account).open(request, at: context.moment.now, within: 3600)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private func seal(of account: Person) -> Seal {
        Seal(ring: ring, purpose: "address to confirm", realm: account.id)
    }

    /// Sends a code to the address of an account that an unknown person claims.
    func start(for pending: PendingIdentity, address: String, _ context: SignInContext)
        async throws
    {
        try await send(
            to: address,
            owner: Self.owner(of: pending),
            asker: Self.asker(pending),
            use: .claimAccount(provider: pending.identity.provider),
            context.language.tag,
            context
        )
    }

    package func confirm(_ code: String, for account: Person, _ context: SignInContext) async throws
        -> EmailConfirmationOutcome
    {
        let purpose = EmailCodePresentation.Purpose.setEmail(
            personID: account.id,
            noticeID: context.moment.id()
        )
        return try await present(
            code,
            Self.owner(of: account),
            Self.asker(account),
            purpose,
            context
        )
    }

    func claim(
        _ code: String,
        _ personID: String,
        by pending: PendingIdentity,
        _ event: SignInEvent,
        _ context: SignInContext
    ) async throws -> EmailConfirmationOutcome {
        let purpose = EmailCodePresentation.Purpose.claim(personID: personID, event)
        return try await present(
            code,
            Self.owner(of: pending),
            Self.asker(pending),
            purpose,
            context
        )
    }

    func present(
        _ code: String,
        _ owner: Hash256,
        _ asker: String,
        _ purpose: EmailCodePresentation.Purpose,
        _ context: SignInContext
    ) async throws -> EmailConfirmationOutcome {
        guard let hash = MailedCode(ring: ring).hash(of: code, for: owner) else {
            return .unknown
        }
        let outcome = try await accounts.confirm(
            EmailCodePresentation(owner: owner, codeHash: hash, then: purpose),
            at: context.now
        )
        if case .wrong(_, let address) = outcome {
            limits.countWrongCode(for: Self.key(address), by: asker, at: context.moment)
        }
        return outcome
    }

    func send(
        to address: String,
        owner: Hash256,
        asker: String,
        use: MailedCodeUse,
        _ language: String,
        saying profile: ProfileChange? = nil,
        _ context: SignInContext
    ) async throws {
        guard EmailAddressRule.isAddress(address) else {
            throw ServiceError(.invalidRequest, "email is not an address that mail can be sent to.")
        }
        if case .wait(let seconds) = limits.take(
            Self.key(address),
            for: asker,
            from: context.address,
            at: context.moment
        ) {
            throw ServiceError(.rateLimited, "Too many codes were sent.", retryAfter: seconds)
        }
        let codes = MailedCode(ring: ring)
        let code = MailedCode.draw(context.moment.random)
        guard let hash = codes.hash(of: code, for: owner) else {
            throw KeyIsGone()
        }
        let id = context.moment.id()
        try await accounts.startConfirmation(
            EmailConfirmation(
                owner: owner,
                address: address,
                codeHash: hash,
                expiresAt: context.now + Self.lifetime
            ),
            mail: MailDraft(
                id: id,
                to: address,
                message: .confirmationCode(
                    sealedCode: codes.seal(code, for: id, random: context.moment.random),
                    use: use,
                    minutes: Int(Self.lifetime / 60)
                ),
                language: language,
                service: context.owner,
                createdAt: context.now
            ),
            saying: profile
        )
    }

    private static func key(_ address: String) -> String {
        Mailbox(address: address).key
    }

    /// The key for counting codes: the account; or the identity, which stays the same however often
    /// its owner signs in again.
    static func asker(_ account: Person) -> String {
        "account \(account.id)"
    }

    private static func asker(_ pending: PendingIdentity) -> String {
        "identity \(pending.identity.issuer ?? "") \(pending.identity.subject)"
    }

    private static func owner(of account: Person) -> Hash256 {
        Hash256(of: "account \(account.id)")
    }

    private static func owner(of pending: PendingIdentity) -> Hash256 {
        Hash256(of: Array("pending ".utf8) + pending.attemptID.bytes)
    }
}

/// The addresses that mail can be sent to, by the mail library's rule.
enum EmailAddressRule {
    static func isAddress(_ text: String) -> Bool {
        // `try?`: only whether it parses matters.
        (try? MailAddress(text)) != nil
    }
}

/// Codes that prove that the holder of a session is its account's person (WEB-SESS-8), for
/// providers that cannot be made to ask.
extension EmailCodes {
    /// Sends a code to the account's address.
    ///
    /// - Throws: `conflict` if it has none.
    package func start(proving live: LiveSession, _ context: SignInContext) async throws {
        guard let address = live.person.email else {
            throw ServiceError(.conflict, "The account has no e-mail address.")
        }
        try await send(
            to: address,
            owner: Self.prover(of: live),
            asker: Self.asker(live.person),
            use: .confirmItsYou,
            live.person.language,
            context
        )
    }

    /// - Returns: The outcome, and the field that sets a browser's new session cookie: the one from
    ///   before the proof is no longer valid (WEB-SESS-1).
    package func prove(
        _ code: String,
        _ live: LiveSession,
        _ cookies: SessionCookies,
        _ context: SignInContext
    ) async throws -> (outcome: EmailConfirmationOutcome, cookies: [HTTPField]) {
        var value: String?
        if case .browser = live.session.form { value = context.moment.random.text(32) }
        let outcome = try await present(
            code,
            Self.prover(of: live),
            Self.asker(live.person),
            .prove(sessionID: live.session.id, cookieHash: value.map { Hash256(of: $0) }),
            context
        )
        guard case .confirmed = outcome, let value else { return (outcome, []) }
        return (outcome, [try cookies.setSession(value, for: live.session.idleSeconds)])
    }

    /// A code is valid only in the session that requested it.
    private static func prover(of live: LiveSession) -> Hash256 {
        Hash256(of: "session \(live.session.id)")
    }
}

extension PersonSession {
    /// Whether its browser was asked to remember the person.
    var isRemembered: Bool { (idleSeconds ?? 0) > SessionCookies.plain }
}

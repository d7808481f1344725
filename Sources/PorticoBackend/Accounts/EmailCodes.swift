import PorticoBytes
import PorticoMail
import PorticoPages
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Six digits that prove a mailbox (10 minutes, five tries).
struct EmailCodes: Sendable {
    let accounts: any AccountStore
    let ring: KeyRing
    /// Mails that an address may be sent, and that an account may ask for: five an hour.
    let limit: RateLimiter

    /// Seconds.
    static let lifetime: Int64 = 600

    /// Sends a code to an address that an account is to have.
    ///
    /// - Parameter profile: What the person says of themselves in the same form.
    func start(
        _ address: String,
        for account: Account,
        saying profile: ProfileChange? = nil,
        _ visit: BackendVisit
    ) async throws {
        let owner = Self.owner(of: account)
        try await send(to: address, owner: owner, account.language, saying: profile, visit)
    }

    /// The page on which the code that was sent to `address` is typed in. The address travels along,
    /// sealed for the account, so that another code can be sent to it.
    func asking(_ address: String, for account: Account, _ visit: BackendVisit) -> LocalPath {
        let sealed = seal(of: account).seal(
            Array(address.utf8),
            at: visit.moment.now,
            random: visit.moment.random
        )
        return LocalPath("/account/email?request=\(sealed)") ?? .details
    }

    /// The address that a page of ``asking(_:for:_:)`` is about, for an hour.
    func address(in request: String?, of account: Account, _ visit: BackendVisit) -> String? {
        guard let request,
            // `try?`: whatever does not open says nothing.
            let bytes = try? seal(of: account).open(request, at: visit.moment.now, within: 3600)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private func seal(of account: Account) -> Seal {
        Seal(ring: ring, purpose: "address to confirm", realm: account.id.text)
    }

    /// Sends a code to the address of an account that somebody unknown says is theirs.
    func start(for pending: PendingIdentity, address: String, _ visit: BackendVisit) async throws {
        try await send(to: address, owner: Self.owner(of: pending), visit.language.tag, visit)
    }

    func confirm(_ code: String, for account: Account, _ visit: BackendVisit) async throws
        -> EmailConfirmationOutcome
    {
        let owner = Self.owner(of: account)
        return try await present(code, owner, .setEmail(accountID: account.id), visit)
    }

    func claim(
        _ code: String,
        _ accountID: UniqueID,
        by pending: PendingIdentity,
        _ event: SignInEvent,
        _ visit: BackendVisit
    ) async throws -> EmailConfirmationOutcome {
        let purpose = EmailCodePresentation.Purpose.claim(accountID: accountID, event)
        return try await present(code, Self.owner(of: pending), purpose, visit)
    }

    private func present(
        _ code: String,
        _ owner: Hash256,
        _ purpose: EmailCodePresentation.Purpose,
        _ visit: BackendVisit
    ) async throws -> EmailConfirmationOutcome {
        let digits = MailedCode.typed(code)
        guard let hash = MailedCode(ring: ring).hash(of: digits, for: owner) else {
            return .unknown
        }
        return try await accounts.confirm(
            EmailCodePresentation(owner: owner, codeHash: hash, then: purpose),
            at: visit.now
        )
    }

    private func send(
        to address: String,
        owner: Hash256,
        _ language: String,
        saying profile: ProfileChange? = nil,
        _ visit: BackendVisit
    ) async throws {
        guard EmailAddressRule.isAddress(address) else {
            throw BackendError(.invalidRequest, "email is not an address that mail can be sent to.")
        }
        for key in ["mail " + Self.key(address), Base64URL.encode(owner.bytes)] {
            if case .wait(let seconds) = limit.take(key, at: visit.moment.now) {
                throw BackendError(.rateLimited, "Too many codes were sent.", retryAfter: seconds)
            }
        }
        let codes = MailedCode(ring: ring)
        let code = MailedCode.draw(visit.moment.random)
        guard let hash = codes.hash(of: code, for: owner) else {
            throw AppSessionAnswer.KeyIsGone()
        }
        let id = visit.moment.id()
        try await accounts.startConfirmation(
            EmailConfirmation(
                owner: owner,
                address: address,
                codeHash: hash,
                expiresAt: visit.now + Self.lifetime
            ),
            mail: MailDraft(
                id: id,
                to: address,
                message: .confirmationCode(
                    sealedCode: codes.seal(code, for: id, random: visit.moment.random),
                    minutes: Int(Self.lifetime / 60)
                ),
                language: language,
                createdAt: visit.now
            ),
            saying: profile,
            at: visit.now
        )
    }

    private static func key(_ address: String) -> String {
        AccountEmail(address: address, isVerified: false).key
    }

    private static func owner(of account: Account) -> Hash256 {
        Hash256(of: Array("account ".utf8) + account.id.bytes)
    }

    private static func owner(of pending: PendingIdentity) -> Hash256 {
        Hash256(of: Array("pending ".utf8) + pending.attemptID.bytes)
    }
}

/// What a mail can be sent to: the rule of whoever writes the mail.
enum EmailAddressRule {
    static func isAddress(_ text: String) -> Bool {
        // `try?`: whether it is one is the question.
        (try? MailAddress(text)) != nil
    }
}

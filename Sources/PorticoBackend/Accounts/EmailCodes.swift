import Crypto
import PorticoBytes
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
        // People copy blanks along.
        let digits = code.filter { !$0.isWhitespace && $0 != "-" }
        // A code that was made under a former key is asked for again: ten minutes, once a rotation.
        guard let hash = hash(of: digits, owner, ring.activeID) else { return .unknown }
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
        let code = Self.code(visit.moment.random)
        guard let hash = hash(of: code, owner, ring.activeID) else {
            throw AppSessionAnswer.KeyIsGone()
        }
        let id = visit.moment.id()
        let vault = SealedAtRest(ring: ring, purpose: "mailed code")
        let sealed = vault.seal(Array(code.utf8), for: id.text, random: visit.moment.random)
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
                    sealedCode: Base64URL.encode(sealed),
                    minutes: Int(Self.lifetime / 60)
                ),
                language: language,
                createdAt: visit.now
            ),
            saying: profile,
            at: visit.now
        )
    }

    /// A keyed hash: a leaked database does not tell six digits.
    private func hash(of code: String, _ owner: Hash256, _ keyID: KeyRing.KeyID) -> Hash256? {
        guard let key = ring.derivedKey(purpose: "mailed code", from: keyID) else { return nil }
        let message = owner.bytes + Array(code.utf8)
        return Hash256(kept: Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
    }

    /// 000000 to 999999, each as likely: what lies beyond the last whole million is drawn again.
    private static func code(_ random: RandomSource) -> String {
        while true {
            let number = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard number < 4_294_000_000 else { continue }
            let digits = String(number % 1_000_000)
            return String(repeating: "0", count: 6 - digits.count) + digits
        }
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

/// What an e-mail address looks like, as far as can be told before a mail is sent (RFC 5321 §4.1.2,
/// HTML's `type=email`).
enum EmailAddressRule {
    static func isAddress(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (3...254).contains(bytes.count), bytes.allSatisfy({ 0x21...0x7E ~= $0 }),
            let at = bytes.lastIndex(of: UInt8(ascii: "@")), (1...64).contains(at)
        else { return false }
        let local = bytes[..<at]
        let domain = bytes[(at + 1)...]
        guard !local.contains(where: { "\"(),:;<>@[\\]".utf8.contains($0) }) else { return false }
        let dot = UInt8(ascii: ".")
        let labels = domain.split(separator: dot, omittingEmptySubsequences: false)
        guard labels.count >= 2,
            local.split(separator: dot, omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }
            )
        else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}

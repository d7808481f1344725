import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Lets people who have forgotten their password choose a new one, after proving their mailbox
/// (WEB-PW-7; NIST SP 800-63B §4.2.2).
///
/// A link works once, for half an hour, in the browser that requested it, until a newer one is
/// requested. The old password stays valid until a new one is set.
struct PasswordResets: Sendable {
    let mailboxes: PersonMailboxStore
    let people: PersonRegistration
    let store: PersonStore
    let limits: MailLimits
    let ring: KeyRing
    let sendsMail: Bool

    /// How long a link is valid, in seconds.
    static let lifetime: Int64 = 1800
    /// How long the code that a link shows in another browser is valid, in seconds.
    static let codeLifetime: Int64 = 600

    /// The state of a reset.
    enum Standing: Sendable {
        case open(PasswordReset, Person)
        case used(PasswordReset)
        case expired(PasswordReset?)
    }

    /// - Parameter reading: A demanded one needs no mail and no permission.
    /// - Throws: ``NotOffered`` if the realm does not allow it, or mail cannot be sent.
    func expectOffered(in realm: LiveRealm, _ reading: PasswordResetReading? = nil)
        throws(NotOffered)
    {
        if let reading, reading.reset.isDemanded { return }
        guard sendsMail, realm.allowsPasswordReset else { throw NotOffered() }
    }

    /// Requests a link. Neither the time it takes nor anything that happens later reveals whether
    /// an account has that address (WEB-ENUM-1).
    ///
    /// - Parameters:
    ///   - browser: The hash of the cookie that the link is bound to.
    ///   - back: The sealed authorization request that the person came from.
    /// - Throws: ``TooManyRequests``.
    func ask(
        for email: String,
        browser: Hash256,
        back: String?,
        _ context: RealmContext
    ) async throws -> UniqueID {
        let verdict = limits.take(
            "\(context.realm.id) \(email)",
            for: nil,
            from: context.address,
            at: context.moment
        )
        if case .wait(let seconds) = verdict { throw TooManyRequests(seconds: seconds) }
        let random = context.moment.random
        let link = random.text(32)
        let reset = PasswordReset(
            id: context.moment.id(),
            realmID: context.realm.id,
            email: email,
            linkHash: Hash256(of: link),
            browser: browser,
            back: back,
            expiresAt: context.now + Self.lifetime
        )
        let mailID = context.moment.id()
        let vault = SealedAtRest(ring: ring, purpose: "password reset")
        let address = context.realm.urls.newPassword(link: link)
        let sealed = vault.seal(Array(address.utf8), for: mailID.text, random: random)
        let mail = MailDraft(
            .passwordReset(
                sealedAddress: Base64URL.encode(sealed),
                minutes: Int(Self.lifetime / 60)
            ),
            id: mailID,
            context
        )
        try await mailboxes.ask(reset, mail: mail)
        return reset.id
    }

    /// Demands a new password of a person who has just proven the old one, in the same browser.
    ///
    /// - Returns: The path of the page that it is chosen on; `nil` if the old password was replaced
    ///   meanwhile.
    /// - Throws: ``CodeSpent``.
    func demand(
        of credentials: PersonCredentials,
        spending use: CredentialUse?,
        browser: Hash256,
        back: String?,
        _ context: RealmContext
    ) async throws -> String? {
        let link = context.moment.random.text(32)
        let reset = PasswordReset(
            id: context.moment.id(),
            realmID: context.realm.id,
            email: "",
            linkHash: Hash256(of: link),
            browser: browser,
            back: back,
            expiresAt: context.now + Self.lifetime
        )
        switch try await mailboxes.demand(reset, of: credentials, spending: use) {
        case .changed: break
        case .notFound: return nil
        case .codeSpent: throw CodeSpent()
        }
        return RealmURLs.newPassword(link, realmName: context.realm.name)
    }

    func reading(link: String?, _ context: RealmContext) async throws -> PasswordResetReading? {
        guard let link, link.utf8.count == 43 else { return nil }
        return try await mailboxes.reset(link: Hash256(of: link), realmID: context.realm.id)
    }

    func reading(_ id: UniqueID, _ context: RealmContext) async throws -> PasswordResetReading? {
        try await mailboxes.reset(id: id, realmID: context.realm.id)
    }

    func standing(_ reading: PasswordResetReading?, _ context: RealmContext) -> Standing {
        guard let reading else { return .expired(nil) }
        guard !reading.isUsed else { return .used(reading.reset) }
        guard context.now < reading.reset.expiresAt, let person = reading.person else {
            return .expired(reading.reset)
        }
        return .open(reading.reset, person)
    }

    /// A code for the requesting browser, if the link was opened in another one.
    ///
    /// - Returns: The code and for how many seconds it is valid; `nil` if the reset is over.
    func code(for reset: PasswordReset, _ context: RealmContext) async throws -> (
        code: String, seconds: Int64
    )? {
        let code = MailedCode.draw(context.moment.random)
        let end = min(context.now + Self.codeLifetime, reset.expiresAt)
        guard let hash = hash(of: code, reset.id),
            try await mailboxes.keepCode(hash, of: reset.id, until: end, at: context.now)
                == .changed
        else { return nil }
        return (code, end - context.now)
    }

    func present(_ code: String, of id: UniqueID, _ context: RealmContext) async throws
        -> PasswordResetCode
    {
        guard let hash = hash(of: code, id) else { return .dead }
        return try await mailboxes.presentCode(hash, of: id, at: context.now)
    }

    /// Whether a person who must choose another password chose the one that they have: who else knows
    /// that could still sign in.
    ///
    /// - Throws: ``PasswordHashing/Busy``.
    func isOld(
        _ password: SecretText,
        for reset: PasswordReset,
        of person: Person,
        _ context: RealmContext
    ) async throws -> Bool {
        guard reset.isDemanded else { return false }
        let kept = try await store.credentials(id: person.id, realmID: context.realm.id)
        return try await people.isPassword(password, kept?.password, by: context.asker(person.id))
    }

    /// Sets a new password that meets the policy, and ends all of the person's sessions.
    ///
    /// - Throws: ``PasswordPolicy/Refusal``, or ``PasswordHashing/Busy``.
    func finish(
        _ reset: PasswordReset,
        of person: Person,
        with password: SecretText,
        _ context: RealmContext
    ) async throws -> PasswordResetOutcome {
        let hash = try await people.hash(
            password,
            for: person,
            realmName: context.realm.name,
            by: context.asker(person.id),
            random: context.moment.random
        )
        return try await mailboxes.finish(
            reset.id,
            realmID: context.realm.id,
            password: hash,
            notice: MailDraft(.passwordChanged, id: context.moment.id(), context),
            at: context.now
        )
    }

    private func hash(of code: String, _ id: UniqueID) -> Hash256? {
        let owner = Hash256(of: Array("password reset ".utf8) + id.bytes)
        return MailedCode(ring: ring).hash(of: code, for: owner)
    }
}

extension PasswordReset {
    /// Whether it was demanded at a sign-in, and no one asked for it by mail.
    var isDemanded: Bool { email.isEmpty }
}

extension MailDraft {
    /// An email from a realm, in the language of the request. The store knows the address.
    init(_ message: Message, id: UniqueID, to address: String? = nil, _ context: RealmContext) {
        self.init(
            id: id,
            to: address,
            message: message,
            language: context.language.tag,
            service: context.realm.displayName,
            createdAt: context.now
        )
    }
}

/// The hidden state of a password reset's pages: which reset it is, and how far its proof has come.
/// A seal of one step is not valid for another: opening a page does not prove a mailbox.
struct PasswordResetSeal: Sendable {
    enum Step: Sendable {
        /// The form has been submitted; a code from another browser may be entered.
        case asked
        /// The link was opened in a browser other than the one that requested it.
        case elsewhere
        /// The link or code came back to the requesting browser: a new password may be chosen.
        case proven
    }

    private let ring: KeyRing
    private let realmID: String

    init(ring: KeyRing, realmID: String) {
        self.ring = ring
        self.realmID = realmID
    }

    func seal(_ id: UniqueID, _ step: Step, at moment: Moment) -> String {
        seal(of: step).seal(id.bytes, at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if the text is not a seal of this realm and step, or is older than any
    ///   link.
    func open(_ text: String?, _ step: Step, at moment: Moment) -> UniqueID? {
        guard let text else { return nil }
        let lifetime = Double(PasswordResets.lifetime)
        // `try?`: every failure leads to the same page.
        guard let bytes = try? seal(of: step).open(text, at: moment.now, within: lifetime) else {
            return nil
        }
        return UniqueID(bytes: bytes)
    }

    private func seal(of step: Step) -> Seal {
        switch step {
        case .asked: Seal(ring: ring, purpose: "password reset asked", realm: realmID)
        case .elsewhere: Seal(ring: ring, purpose: "password reset elsewhere", realm: realmID)
        case .proven: Seal(ring: ring, purpose: "password reset proven", realm: realmID)
        }
    }
}

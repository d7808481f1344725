package import PorticoBytes

/// Keeps accounts, their identities and sessions.
///
/// A session is **live** while it has not ended, `expiresAt` lies ahead, it was seen after
/// `now - idleSeconds`, it does not wait for its app, its account is there and not blocked, and the
/// account was not signed out everywhere since it began. All times are seconds since 1970.
///
/// Every event that changes something writes its ``AuditEvent`` and its mail in the same
/// transaction.
package protocol AccountStore: Sendable {
    /// Signs somebody in whom a provider has proven, or registers them (docs/decisions/0030).
    ///
    /// The identity is known: a session of its account begins, and the identity is never moved; the
    /// address that it brings replaces the identity's, and the account's name only where that is
    /// missing. Unknown: an account is made, or what ``SignInEvent/emailRule`` says. An account
    /// takes an identity's address where it has none, or the same one on a weaker
    /// ``EmailVerification``; and only where no other account has it verified, or it is proven here
    /// and was only vouched for there. Accounts that have it on a weaker ground lose it: unverified
    /// to verified, vouched for to proven.
    ///
    /// Of any number of concurrent first sign-ins of one identity one makes the account, and all
    /// others sign in to it. Of any number with one attempt exactly one is not `.spent`.
    func signIn(_ event: SignInEvent, at now: Int64) async throws -> SignInOutcome

    /// The live session of a cookie.
    func live(cookie: Hash256, at now: Int64) async throws -> LiveAccountSession?

    /// The live session of that id.
    func live(id: UniqueID, at now: Int64) async throws -> LiveAccountSession?

    /// Redeems a hand-off code (docs/decisions/0013). Of any number of concurrent presentations
    /// exactly one gets `.redeemed`; a presentation that is wrong in any respect spends the code. A
    /// second one that is right in every respect ends the session that the first one got (RFC 6749
    /// §4.1.2).
    func redeem(_ presentation: HandOffPresentation, at now: Int64) async throws
        -> HandOffRedemption

    /// Moves a live app session's refresh state on, as ``GrantStore/rotate(_:spending:at:)`` does:
    /// of any number of concurrent calls with one generation exactly one gets `.rotated`. It counts
    /// as seen. `grantID` is the session's id.
    func rotate(_ rotation: Rotation, at now: Int64) async throws -> RotationOutcome

    /// Signs a session of that account out. Doing it twice changes nothing.
    ///
    /// The tokens that providers gave us to keep are forgotten with it, and answered once: that of
    /// the identity that the session was signed in by, where no other session of the account was
    /// that is live or waits for its app; and with the account's last such session those of all its
    /// identities, also of one that was only linked. Of any number of concurrent calls one gets a
    /// token, and none gets one that a sign-in has brought whose session is left.
    func signOut(_ sessionID: UniqueID, of accountID: UniqueID, at now: Int64) async throws
        -> SignOutOutcome

    /// Signs every session of an account out, also those that wait for their app, but one; `nil`:
    /// all. Tokens are forgotten as ``signOut(_:of:at:)`` does it.
    func signOutEverywhere(of accountID: UniqueID, except kept: UniqueID?, at now: Int64)
        async throws -> SignOutOutcome

    /// Ends a session of that account whose person did not ask for it: what providers gave us is
    /// kept, for the next sign-in. Ending it twice changes nothing.
    ///
    /// - Parameter kind: What the event is called.
    func end(
        sessionID: UniqueID,
        of accountID: UniqueID,
        as kind: AuditEvent.Kind,
        at now: Int64
    ) async throws -> Change

    /// Ends the sessions that an identity began: of one `sid`, or all
    /// (OpenID Connect Back-Channel Logout §2.7). Its token is kept: what becomes of that is the
    /// provider's to say, which has ended its own session.
    ///
    /// - Parameter subject: `nil`: whoever's session has that `sid`.
    /// - Returns: How many ended, or `nil` where `spending` was spent before: then nothing happened.
    func endSessions(
        issuer: String,
        subject: String?,
        providerSessionID: String?,
        spending: SpentOnce,
        at now: Int64
    ) async throws -> Int?

    /// Notes when sessions were last seen; many at once, never backwards.
    func touch(_ seen: [(id: UniqueID, at: Int64)]) async throws

    /// The live sessions of an account, the one seen last first, at most `limit`.
    func sessions(of accountID: UniqueID, at now: Int64, limit: Int) async throws
        -> [AccountSession]

    func account(_ id: UniqueID) async throws -> Account?

    /// How an account came to be.
    func registration(of accountID: UniqueID) async throws -> Registration?

    /// In the order of linking.
    func identities(of accountID: UniqueID) async throws -> [Identity]

    /// Accounts in the order of creation, after `cursor`, at most `limit`; where `email` is given,
    /// those with that address.
    func accounts(after cursor: UniqueID?, email: String?, limit: Int) async throws -> [Account]

    /// Links an identity to the account of a live session. Whatever comes of it, the attempt is
    /// spent.
    func link(_ event: LinkEvent, at now: Int64) async throws -> LinkOutcome

    /// Removes an identity from an account, and ends the sessions that it began. Never the last
    /// one that somebody can sign in by, of any number of concurrent calls (WEB-ACC-4).
    ///
    /// - Parameter usable: The providers, by name, that people can sign in with now.
    func unlink(
        provider: String,
        from accountID: UniqueID,
        usable: [String],
        notice: MailDraft?,
        at now: Int64
    ) async throws -> UnlinkOutcome

    /// Takes an identity away that its provider has given up, and with the last one the account,
    /// which nobody could sign in to any more. An identity that was linked after `issuedAt` stays:
    /// the provider's word is older than the person's.
    ///
    /// - Parameter noticeID: Of the mail that tells the account's verified address which of both it
    ///   was, in the account's language.
    /// - Returns: Whether there was such an identity.
    func forget(
        _ key: IdentityKey,
        linkedUntil issuedAt: Int64,
        noticeID: UniqueID,
        at now: Int64
    ) async throws -> Bool

    /// Keeps a provider's new refresh token in place of the one that it succeeds. `.notFound` where
    /// another process came first, or the identity is gone: then what is kept stays.
    func keepToken(_ sealedToken: String, of key: IdentityKey, replacing old: String?)
        async throws -> Change

    /// Sets what a person says of themselves: the name becomes their own. `nil` leaves it. There is
    /// no event of it.
    func update(_ accountID: UniqueID, name: String?, language: String?, isWelcomed: Bool?)
        async throws -> Change

    /// Blocks an account, which signs it out everywhere, or lets it in again.
    func block(_ accountID: UniqueID, _ isBlocked: Bool, at now: Int64) async throws -> Change

    /// Deletes an account: identities, sessions and hand-off codes go with it. The id is not used
    /// again.
    ///
    /// - Parameter noticeID: Of the mail that tells its verified address, in its language.
    /// - Returns: The identities it had, whose sealed tokens are to be revoked; `nil`: not there.
    func delete(_ accountID: UniqueID, noticeID: UniqueID, at now: Int64) async throws
        -> [Identity]?

    /// Keeps the code that confirms an address, in place of an earlier one of the same `owner`,
    /// and queues the mail that brings it, to that address unless it names another.
    ///
    /// - Parameter profile: What the person says of themselves in the same form.
    func startConfirmation(
        _ confirmation: EmailConfirmation,
        mail: MailDraft,
        saying profile: ProfileChange?,
        at now: Int64
    ) async throws

    /// Presents a code. Of five wrong ones the fifth spends it; the right one spends it too.
    func confirm(_ presentation: EmailCodePresentation, at now: Int64) async throws
        -> EmailConfirmationOutcome

    /// Removes what has been dead since before `time`: sessions, codes, what was spent.
    func purge(before time: Int64) async throws
}

extension AccountStore {
    /// Keeps the code that confirms an address, and queues the mail that brings it.
    package func startConfirmation(
        _ confirmation: EmailConfirmation,
        mail: MailDraft,
        at now: Int64
    ) async throws {
        try await startConfirmation(confirmation, mail: mail, saying: nil, at: now)
    }
}

package struct HandOffPresentation: Hashable, Sendable {
    package var codeHash: Hash256
    package var app: String
    package var redirectHash: Hash256
    /// The SHA-256 of the presented verifier.
    package var challenge: Hash256
    /// What the session is kept with once it is active.
    package var refresh: RefreshState

    package init(
        codeHash: Hash256,
        app: String,
        redirectHash: Hash256,
        challenge: Hash256,
        refresh: RefreshState
    ) {
        self.codeHash = codeHash
        self.app = app
        self.redirectHash = redirectHash
        self.challenge = challenge
        self.refresh = refresh
    }
}

package enum HandOffRedemption: Hashable, Sendable {
    /// The session is active. `isNew`: this sign-in made the account.
    case redeemed(LiveAccountSession, isNew: Bool)
    /// Known, and not good: why is for the log. It is spent now.
    case refused(HandOffRefusal)
    /// No code of ours, or purged.
    case unknown
}

package enum HandOffRefusal: String, Hashable, Sendable {
    case expired
    case alreadyUsed
    case otherApp
    case otherRedirect
    case wrongVerifier
    /// The account is blocked, or the session was ended before its app came.
    case accountGone
}

/// A second identity for an account: both are proven (WEB-ACC-1).
package struct LinkEvent: Hashable, Sendable {
    package var spending: [SpentOnce]
    package var identity: Identity
    /// The live session whose account gets it.
    package var sessionID: UniqueID
    package var notice: MailDraft?

    package init(
        spending: [SpentOnce],
        identity: Identity,
        sessionID: UniqueID,
        notice: MailDraft?
    ) {
        self.spending = spending
        self.identity = identity
        self.sessionID = sessionID
        self.notice = notice
    }
}

package enum LinkOutcome: Hashable, Sendable {
    case linked
    /// It was this account's before. Nothing changed.
    case alreadyLinked
    /// It belongs to another account and stays there.
    case taken
    /// The account has another identity at that provider already.
    case secondOfProvider
    case spent
    case sessionEnded
}

package enum SignOutOutcome: Hashable, Sendable {
    /// With the identities whose token was forgotten, as they were before: to be revoked. None
    /// where the session had ended before.
    case signedOut(forgetting: [Identity])
    case notFound
}

package enum UnlinkOutcome: Hashable, Sendable {
    /// With the identity that was removed, whose sealed token is to be revoked.
    case unlinked(Identity)
    case lastOne
    case notFound
}

/// What a person says of themselves; `nil` leaves what is there.
package struct ProfileChange: Hashable, Sendable {
    package var accountID: UniqueID
    /// Becomes the person's own.
    package var name: String?
    package var language: String?
    package var isWelcomed: Bool?

    package init(
        accountID: UniqueID,
        name: String? = nil,
        language: String? = nil,
        isWelcomed: Bool? = nil
    ) {
        self.accountID = accountID
        self.name = name
        self.language = language
        self.isWelcomed = isWelcomed
    }
}

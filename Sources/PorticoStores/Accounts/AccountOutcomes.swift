package import PorticoBytes

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
    case redeemed(LiveSession, isNew: Bool)
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
    package var sessionID: String
    package var notice: MailDraft?

    package init(
        spending: [SpentOnce],
        identity: Identity,
        sessionID: String,
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
    package var personID: String
    /// Becomes the person's own.
    package var name: PersonName?
    package var language: String?
    package var isWelcomed: Bool?

    package init(
        personID: String,
        name: PersonName? = nil,
        language: String? = nil,
        isWelcomed: Bool? = nil
    ) {
        self.personID = personID
        self.name = name
        self.language = language
        self.isWelcomed = isWelcomed
    }
}

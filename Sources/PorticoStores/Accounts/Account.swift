import PorticoBytes

/// A person registered with the BFF. Their id is ours, never derived from what a provider says
/// (SEED-ADR-5).
package struct Account: Hashable, Sendable {
    package var id: String
    package var email: AccountEmail?
    package var name: String?
    /// The person wrote the name themselves: no provider's changes it any more (PRV-A-5).
    package var isNameOwn: Bool = false
    /// An https address, as a provider gave it.
    package var picture: String?
    /// The tag of the language that mails are written in.
    package var language: String
    package var isBlocked: Bool = false
    /// Whether the person has gone through the welcome page.
    package var isWelcomed: Bool = false
    /// Seconds since 1970.
    package var createdAt: Int64
    package var lastSignInAt: Int64
}

/// An e-mail address and what is known of it.
package struct AccountEmail: Hashable, Sendable {
    /// As it was given.
    package var address: String
    package var verification: EmailVerification
    /// A relay's address, such as Apple's: never compared with others (PRV-A-8).
    package var isRelay: Bool

    package init(
        address: String,
        verification: EmailVerification = .unverified,
        isRelay: Bool = false
    ) {
        self.address = address
        self.verification = verification
        self.isRelay = isRelay
    }

    /// A provider vouches for it: what `email_verified` says.
    package var isVerified: Bool { verification > .unverified }

    /// The one spelling that addresses are compared in.
    package var key: String { LoginName.folded(address) }
}

/// Who a person is at an identity provider: unique among all accounts (WEB-ACC-2). The audience
/// that a token was made for is no part of it (PRV-N-4). Two are one only where their bytes are
/// (OpenID Connect Core §14).
package struct IdentityKey: Hashable, Sendable {
    /// The provider's one canonical issuer.
    package var issuer: String
    package var subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    package static func == (one: IdentityKey, other: IdentityKey) -> Bool {
        sameBytes(one.subject, other.subject) && sameBytes(one.issuer, other.issuer)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(issuer))
        hasher.combine(ExactText(subject))
    }
}

/// A way to sign in: a person's identity at a provider, linked to an account.
package struct Identity: Hashable, Sendable {
    package var key: IdentityKey
    /// The configured name of the provider, such as `google`.
    package var provider: String
    /// As the provider gave it the last time it gave one.
    package var email: AccountEmail?
    /// Seconds since 1970.
    package var linkedAt: Int64
    package var lastUsedAt: Int64
    /// The provider's refresh token, sealed at rest; kept where something needs it later, such as
    /// the revocation when the account is deleted (PRV-A-19).
    package var sealedToken: String?

    package init(
        key: IdentityKey,
        provider: String,
        email: AccountEmail?,
        linkedAt: Int64,
        lastUsedAt: Int64,
        sealedToken: String?
    ) {
        self.key = key
        self.provider = provider
        self.email = email
        self.linkedAt = linkedAt
        self.lastUsedAt = lastUsedAt
        self.sealedToken = sealedToken
    }
}

/// How an account came to be: kept as it was.
package struct Registration: Hashable, Sendable {
    /// The configured name of the provider.
    package var provider: String
    /// Seconds since 1970.
    package var at: Int64
    /// The address it came from, as text; `nil` where it is not known.
    package var address: String?
    package var userAgent: String?
}

/// How it is known whose an e-mail address is, from the least to the most
/// (docs/decisions/0020).
package enum EmailVerification: UInt8, CaseIterable, Comparable, Sendable {
    /// No provider vouches for it.
    case unverified
    /// A provider vouches for it that has no authority over the mailbox; or it is not known any more
    /// who did.
    case vouched
    /// The provider that vouched for it has authority over the mailbox (PRV-G-6).
    case authoritative
    /// A code that was mailed to it came back.
    case mailedCode

    /// Whether the mailbox has answered, or the provider that runs it.
    package var isProof: Bool { self >= .authoritative }

    package static func < (one: EmailVerification, other: EmailVerification) -> Bool {
        one.rawValue < other.rawValue
    }
}

import PorticoBytes

/// Who a person is at an identity provider: unique among all people of a realm (WEB-ACC-2). The
/// audience that a token was made for is no part of it (PRV-N-4). Two are one only where their bytes
/// are (OpenID Connect Core §14).
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

/// A way to sign in: who a person is at an identity provider.
package struct Identity: Hashable, Sendable {
    /// The configured name of the provider, such as `google`.
    package var provider: String
    /// The provider's one canonical issuer. `nil` where no one has signed in by it yet: a file or an
    /// administrator names the provider alone.
    package var issuer: String?
    package var subject: String
    /// What the person is called there, where a file or an administrator says so.
    package var username: String?
    /// As the provider gave it the last time it gave one.
    package var email: Mailbox?
    /// Seconds since 1970.
    package var linkedAt: Int64
    package var lastUsedAt: Int64
    /// The provider's refresh token, sealed at rest; kept where something needs it later, such as
    /// the revocation when the person is deleted (PRV-A-19).
    package var sealedToken: String?

    package init(
        key: IdentityKey,
        provider: String,
        email: Mailbox?,
        linkedAt: Int64,
        lastUsedAt: Int64,
        sealedToken: String?
    ) {
        self.provider = provider
        issuer = key.issuer
        subject = key.subject
        self.email = email
        self.linkedAt = linkedAt
        self.lastUsedAt = lastUsedAt
        self.sealedToken = sealedToken
    }

    package var key: IdentityKey? {
        issuer.map { IdentityKey(issuer: $0, subject: subject) }
    }
}

/// How a person came by an identity provider: kept as it was.
package struct Registration: Hashable, Sendable {
    /// The configured name of the provider.
    package var provider: String
    /// Seconds since 1970.
    package var at: Int64
    /// The address it came from, as text; `nil` where it is not known.
    package var address: String?
    package var userAgent: String?
}

package import PorticoBytes
import PorticoProtocol

/// A person proven by a provider: every check has passed. Only ``UpstreamClient`` makes one.
///
/// It grants no rights: no claim of a provider makes a person an administrator (PRV-O-4).
package struct ProvenPerson: Sendable {
    /// The provider's canonical issuer; with ``subject``, the key of the account's identity.
    package let issuer: String
    package let subject: String
    package let email: Email?
    /// Whether the provider has authority over the mailbox, and did not just once verify it by mail
    /// (PRV-G-6).
    package let isAuthoritative: Bool
    package let matchesEmail: EmailMatch
    /// Untrusted text for display, without control characters.
    package var name: String?
    /// An https address.
    package let picture: String?
    /// `sid`, for logout by the provider (OpenID Connect Back-Channel Logout §2.1).
    package let providerSessionID: String?
    /// `auth_time` in the answer to an attempt, from a provider that supports requesting a new one;
    /// `nil` for tokens from an app, for which no one was asked. Seconds since 1970.
    package var authenticatedAt: Int64?
    /// For ``UpstreamClient/refresh(_:)`` and ``UpstreamClient/revoke(_:)`` only, which know its
    /// format. `nil` if the provider issued none, as Google does after the first consent.
    package var refreshToken: SecretText?
    /// With the scopes of the sign-in; `nil` for a native identity token.
    package var accessToken: SecretText?
    /// Seconds since 1970.
    package var accessTokenExpiresAt: Int64?
    /// For a native token: two presentations of one token have the same hash (PRV-N-2).
    package var tokenHash: Hash256?
    /// Until when a native token is accepted, if longer than an ID Token is. Seconds since 1970.
    package var tokenExpiresAt: Int64?

    /// An email address and the provider's claims about it.
    package struct Email: Hashable, Sendable {
        package let address: String
        package let isVerified: Bool
        /// A relay's address (PRV-A-8).
        package let isRelay: Bool
    }

    /// How the address may be used, beyond showing it (docs/decisions/0030).
    package enum EmailMatch: Hashable, Sendable {
        /// Not at all: unverified, a relay's, or missing.
        case never
        /// Accounts with it may belong to this person, who is asked.
        case ask
        /// The provider has authority over the mailbox: an account with this address belongs to
        /// this person, if the address was verified for that account too.
        case linkable
    }
}

extension ProvenPerson {
    init(_ claims: JSONObject, subject: String, of provider: IdentityProvider) {
        issuer = provider.issuer(of: claims)
        self.subject = subject
        let judgement = provider.emailTrust.judge(claims)
        email = judgement.email
        isAuthoritative = judgement.isAuthoritative
        matchesEmail = judgement.match
        name =
            claims.string("name").flatMap(DisplayText.init)?.text
            ?? DisplayText(parts: [claims.string("given_name"), claims.string("family_name")])?.text
        picture = claims.string("picture").flatMap(Self.address)
        providerSessionID = claims.string("sid").flatMap { sid in
            (1...255).contains(sid.utf8.count) ? sid : nil
        }
    }

    private static func address(_ text: String) -> String? {
        guard text.utf8.count <= 2048, let address = HTTPAddress(text), address.isSecure else {
            return nil
        }
        return text
    }
}

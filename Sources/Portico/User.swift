import PorticoBytes
public import PorticoProtocol

/// The person who is signed in, in the provider's words (OpenID Connect Core §2, §5.1).
public struct User: Sendable, Hashable, Identifiable {
    /// What identifies a person: issuer and subject together, and nothing else. An e-mail address
    /// may pass to somebody else (OpenID Connect Core §5.7).
    public struct ID: Hashable, Sendable {
        /// `iss`, byte for byte.
        public let issuer: String
        /// `sub`, byte for byte.
        public let subject: String

        /// Whether both are one person: the bytes count, not how they look (OpenID Connect Core §14).
        public static func == (one: ID, other: ID) -> Bool {
            sameBytes(one.subject, other.subject) && sameBytes(one.issuer, other.issuer)
        }

        /// Of the bytes, as `==`.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ExactText(issuer))
            hasher.combine(ExactText(subject))
        }
    }

    public let id: ID
    /// All claims, verified as the standards demand; `exp`, `aud` and their like included.
    public let claims: JSONObject

    init(issuer: String, subject: String, claims: JSONObject) {
        id = ID(issuer: issuer, subject: subject)
        self.claims = claims
    }

    /// Who says so (`iss`).
    public var issuer: String { id.issuer }
    /// The person's identifier at the issuer (`sub`), never reassigned there.
    public var subject: String { id.subject }
    /// The full name, for showing (`name`). Text from outside, as all of these are.
    public var name: String? { text("name") }
    /// The given names (`given_name`).
    public var givenName: String? { text("given_name") }
    /// The surnames (`family_name`).
    public var familyName: String? { text("family_name") }
    /// What the person wants to be called by (`preferred_username`). Neither unique nor stable.
    public var preferredUsername: String? { text("preferred_username") }
    /// The e-mail address (`email`). It may pass to somebody else, and is no identifier.
    public var email: String? { text("email") }
    /// Whether the provider has verified the address (`email_verified`); `false` where it does not say.
    public var isEmailVerified: Bool { claims.bool("email_verified") ?? false }

    /// The best of name, user name and e-mail address; the subject where there is none.
    public var displayName: String { name ?? preferredUsername ?? email ?? subject }

    private func text(_ name: String) -> String? {
        claims.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension User: CustomStringConvertible, CustomReflectable {
    /// Claims are personal: only who it is.
    public var description: String { "User(\(id.subject) at \(id.issuer))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

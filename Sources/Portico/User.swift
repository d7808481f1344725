import PorticoBytes
public import PorticoProtocol

/// The person who is signed in, as described by the provider (OpenID Connect Core §2, §5.1).
public struct User: Sendable, Hashable, Identifiable {
    /// The person's identifier: issuer and subject together, and nothing else. An email address may
    /// pass to another person (OpenID Connect Core §5.7).
    public struct ID: Hashable, Sendable {
        /// `iss`, byte for byte.
        public let issuer: String
        /// `sub`, byte for byte.
        public let subject: String

        /// Whether both identify the same person: compared as bytes (OpenID Connect Core §14).
        public static func == (one: ID, other: ID) -> Bool {
            sameBytes(one.subject, other.subject) && sameBytes(one.issuer, other.issuer)
        }

        /// Hashes the bytes, to match `==`.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ExactText(issuer))
            hasher.combine(ExactText(subject))
        }
    }

    public let id: ID
    /// All claims, verified as the standards require, including `exp`, `aud` and similar ones.
    public let claims: JSONObject

    /// A person for an app's own previews and tests.
    ///
    /// - Parameters:
    ///   - issuer: `iss`.
    ///   - subject: `sub`.
    ///   - claims: What the other properties read, such as `name` and `email`.
    public init(issuer: String, subject: String, claims: JSONObject = [:]) {
        id = ID(issuer: issuer, subject: subject)
        self.claims = claims
    }

    /// The issuer of the claims (`iss`).
    public var issuer: String { id.issuer }
    /// The person's identifier at the issuer (`sub`), which the issuer never reassigns.
    public var subject: String { id.subject }
    /// The full name, for display (`name`). Foreign text, like all of these.
    public var name: String? { text("name") }
    /// The given names (`given_name`).
    public var givenName: String? { text("given_name") }
    /// The surnames (`family_name`).
    public var familyName: String? { text("family_name") }
    /// The name that the person prefers (`preferred_username`). Neither unique nor stable.
    public var preferredUsername: String? { text("preferred_username") }
    /// The email address (`email`). May pass to another person; not an identifier.
    public var email: String? { text("email") }
    /// Whether the provider has verified the address (`email_verified`); `false` if it does not say
    /// so.
    public var isEmailVerified: Bool { claims.bool("email_verified") ?? false }

    /// The name, username or email address, whichever exists first; otherwise the subject.
    public var displayName: String { name ?? preferredUsername ?? email ?? subject }

    private func text(_ name: String) -> String? {
        claims.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension User: CustomStringConvertible, CustomReflectable {
    /// Shows the identifier only: claims are personal data.
    public var description: String { "User(\(id.subject) at \(id.issuer))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

import PorticoBytes
public import PorticoProtocol

/// The person who makes a request, as confirmed by the backend or the issuer.
public struct AuthenticatedPerson: Sendable, Identifiable {
    /// The person's identifier: issuer and subject together, and nothing else. An email address may
    /// pass to another person (OpenID Connect Core §5.7).
    public struct ID: Hashable, Sendable {
        /// The backend's address, or the issuer's, byte for byte.
        public let issuer: String
        /// The account's id at the backend, or `sub`.
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

    /// The kind of credential in the request.
    public enum Origin: Hashable, Sendable {
        /// A session at the backend-for-frontend, by cookie or token.
        case session
        /// An access token (RFC 9068).
        case accessToken
    }

    public let id: ID
    /// The kind of credential in the request.
    public let origin: Origin
    /// The full name, for display. Foreign text, like all of these.
    public let name: String?
    /// May pass to another person; not an identifier.
    public let email: String?
    /// Whether the backend or the issuer has verified the address.
    public let isEmailVerified: Bool
    /// The person's roles; a session has none.
    public let roles: Roles
    /// The scope of the access token; a session has none.
    public let scope: Scope
    /// All data about the person: the claims of the access token, or `user` of the session.
    public let claims: JSONObject

    init(id: ID, origin: Origin, roles: Roles = .none, scope: Scope = .none, claims: JSONObject) {
        self.id = id
        self.origin = origin
        self.roles = roles
        self.scope = scope
        self.claims = claims
        name = Self.text("name", claims) ?? Self.text("preferred_username", claims)
        email = Self.text("email", claims)
        isEmailVerified = email != nil && claims.bool("email_verified") == true
    }

    private static func text(_ name: String, _ claims: JSONObject) -> String? {
        claims.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension AuthenticatedPerson: CustomStringConvertible, CustomReflectable {
    /// Shows the identifier only: everything else is personal data.
    public var description: String { "AuthenticatedPerson(\(id.subject) at \(id.issuer))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

import PorticoBytes
public import PorticoProtocol

/// Who makes a request, as the backend or the issuer vouches for it.
public struct AuthenticatedPerson: Sendable, Identifiable {
    /// What identifies a person: who vouches and by which name, together, and nothing else. An
    /// e-mail address may pass to somebody else (OpenID Connect Core §5.7).
    public struct ID: Hashable, Sendable {
        /// The backend's address, or the issuer's, byte for byte.
        public let issuer: String
        /// The account's id at the backend, or `sub`.
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

    /// What the request brought.
    public enum Origin: Hashable, Sendable {
        /// A session at the backend-for-frontend, by cookie or token.
        case session
        /// An access token (RFC 9068).
        case accessToken
    }

    public let id: ID
    /// What the request brought.
    public let origin: Origin
    /// The full name, for showing. Text from outside, as all of these are.
    public let name: String?
    /// It may pass to somebody else, and is no identifier.
    public let email: String?
    /// Whether whoever vouches has verified the address.
    public let isEmailVerified: Bool
    /// What the person may do; a session brings none.
    public let roles: Roles
    /// What the access token may be used for; a session brings none.
    public let scope: Scope
    /// Everything that was said: the claims of the access token, or `user` of the session.
    public let claims: JSONObject

    init(
        id: ID,
        origin: Origin,
        roles: Roles = .none,
        scope: Scope = .none,
        claims: JSONObject
    ) {
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
    /// What is known of a person is personal: only who it is.
    public var description: String { "AuthenticatedPerson(\(id.subject) at \(id.issuer))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

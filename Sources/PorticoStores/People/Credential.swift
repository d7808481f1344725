package import PorticoProtocol

/// What a person can prove themselves with besides their password.
package struct Credential: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// A time-based one-time password (RFC 6238).
        case totp
        case recoveryCodes = "recovery-codes"
        /// Kept for an export, and asked for by nothing.
        case other
    }

    /// A UUID.
    package var id: String
    package var personID: String
    package var kind: Kind
    /// The person's name for it.
    package var label: String
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// The lowest is offered first.
    package var priority: Int64
    /// What is needed to check it, and is no secret: digits, period, algorithm, count.
    package var parameters: JSONObject
    /// Sealed at rest.
    package var sealedSecret: String
    /// The last time step that was accepted, or a bit for each recovery code that is spent.
    package var used: Int64

    package init(
        id: String,
        personID: String,
        kind: Kind,
        label: String,
        createdAt: Int64,
        priority: Int64,
        parameters: JSONObject,
        sealedSecret: String,
        used: Int64 = 0
    ) {
        self.id = id
        self.personID = personID
        self.kind = kind
        self.label = label
        self.createdAt = createdAt
        self.priority = priority
        self.parameters = parameters
        self.sealedSecret = sealedSecret
        self.used = used
    }
}

/// What a code that was right takes from its credential: it is not right again.
package struct CredentialUse: Hashable, Sendable {
    package enum Spent: Hashable, Sendable {
        /// This time step of a one-time password and all before it (RFC 6238 §5.2).
        case step(Int64)
        /// The recovery code at this place, from 0.
        case code(Int)
    }

    /// The credential's.
    package var id: String
    package var spent: Spent

    package init(id: String, spent: Spent) {
        self.id = id
        self.spent = spent
    }
}

/// What a person must do at their next sign-in, in Keycloak's words; others are kept and nothing
/// asks for them.
package enum RequiredAction {
    package static let updatePassword = "UPDATE_PASSWORD"
    package static let verifyEmail = "VERIFY_EMAIL"
    package static let configureTOTP = "CONFIGURE_TOTP"
}

package import PorticoBytes

/// A request for a new password, from the form that asks for it until the link in the mail has
/// come back (WEB-PW-7).
package struct PasswordReset: Hashable, Sendable {
    package var id: UniqueID
    package var realmID: String
    /// The address that was typed; empty where a sign-in demanded a new password: no mail brings it.
    package var email: String
    /// The SHA-256 of the link's 256 random bits.
    package var linkHash: Hash256
    /// The SHA-256 of a cookie: the browser that asked.
    package var browser: Hash256
    /// The sealed authorization request that the person came from.
    package var back: String?
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(
        id: UniqueID,
        realmID: String,
        email: String,
        linkHash: Hash256,
        browser: Hash256,
        back: String?,
        expiresAt: Int64
    ) {
        self.id = id
        self.realmID = realmID
        self.email = email
        self.linkHash = linkHash
        self.browser = browser
        self.back = back
        self.expiresAt = expiresAt
    }

    /// How many codes from another browser may be presented until one is right.
    package static let codeTries: Int64 = 5
}

/// A wish for a new password as it stands now.
package struct PasswordResetReading: Hashable, Sendable {
    package var reset: PasswordReset
    /// Whose password it is; `nil` where no one who may sign in has that address.
    package var person: Person?
    package var isUsed: Bool
}

package enum PasswordResetCode: Hashable, Sendable {
    case right
    /// Another one, one that is too old, or there is none.
    case wrong
    /// The tries are used up, or the wish is over.
    case dead
}

/// What became of a demand for a new password.
package enum PasswordDemand: Hashable, Sendable {
    case changed
    case notFound
    case codeSpent
}

package enum PasswordResetOutcome: Hashable, Sendable {
    case changed
    case used
    /// Too late, replaced by a newer one, or no one has the address any more.
    case expired
}

package enum PersonEmailOutcome: Hashable, Sendable {
    case confirmed
    case wrong(triesLeft: Int)
    case expired
    /// There is no code, or it was used up; or the address is not the person's any more.
    case unknown
}

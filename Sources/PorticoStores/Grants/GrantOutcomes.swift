package import PorticoBytes
package import PorticoProtocol

package enum Redemption: Hashable, Sendable {
    case redeemed
    /// The code, or the authorization request it answers, was spent before.
    case replayed
    /// The browser session or the person behind the code is gone, or the grant that it derives from
    /// has ended.
    case sessionEnded
    /// Another code from the same login token was redeemed before.
    case loginTokenSpent
    case spentBefore(SpentOnce.Kind)
}

/// Where the sign-in behind a grant was handed on by another app (RFC 8693 §2.1).
package struct Derivation: Hashable, Sendable {
    /// The other app's grant: what is derived from it ends with it.
    package var parentID: UniqueID
    /// Of the login token that handed it on, if one did: it is good for one grant.
    package var loginTokenID: UniqueID?

    package init(parentID: UniqueID, loginTokenID: UniqueID?) {
        self.parentID = parentID
        self.loginTokenID = loginTokenID
    }
}

/// A grant as it stands now.
package struct GrantReading: Hashable, Sendable {
    package var grant: Grant
    package var isLive: Bool
    package var person: PersonWithRoles?
    /// What the person has allowed its client until now; `nil`: nothing.
    package var allowed: Scope?
    /// The client (its id) that handed it on without an authorization request (OpenID Connect
    /// Native SSO §4). It may be gone.
    package var exchangedBy: String?
    /// Whether an authorization request or an exchange is behind it: not where it came of a
    /// password, of a token of the server before, or of a client alone.
    package var isRequested: Bool

    package init(
        grant: Grant,
        isLive: Bool,
        person: PersonWithRoles?,
        allowed: Scope? = nil,
        exchangedBy: String? = nil,
        isRequested: Bool = true
    ) {
        self.grant = grant
        self.isLive = isLive
        self.person = person
        self.allowed = allowed
        self.exchangedBy = exchangedBy
        self.isRequested = isRequested
    }
}

package struct Rotation: Hashable, Sendable {
    /// Of the tokens that follow each other: the id of the grant, or of the account's session.
    package var familyID: UniqueID
    /// The generation presented: the one that must be current.
    package var generation: UInt32
    package var idempotencyKey: Hash256?
    /// The master key that the successor's MAC key is derived from; 4 bytes.
    package var keyID: [UInt8]

    package init(familyID: UniqueID, generation: UInt32, idempotencyKey: Hash256?, keyID: [UInt8]) {
        self.familyID = familyID
        self.generation = generation
        self.idempotencyKey = idempotencyKey
        self.keyID = keyID
    }
}

package enum RotationOutcome: Hashable, Sendable {
    case rotated
    /// The generation is not the current one any more, or the grant is dead: read it again.
    case outdated
    case spentBefore(SpentOnce.Kind)
}

package enum Revocation: Hashable, Sendable {
    case revoked
    case notFound
    case spentBefore(SpentOnce.Kind)
}

package enum Spending: Hashable, Sendable {
    case spent
    case spentBefore(SpentOnce.Kind)
}

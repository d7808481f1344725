package import PorticoBytes

/// Keeps grants.
///
/// A grant is **live** while it is not refused or revoked, `expiresAt` lies ahead, its refresh
/// state (where it has one) was rotated after `now - idleSeconds`, its client is there, its person
/// (where it has one) is enabled, was not signed out everywhere since, and has a `notBefore` not
/// later than `createdAt`, and, unless it is offline, its browser session (where it has one) has not ended and has not expired. All times
/// are seconds since 1970.
///
/// Every event takes the client assertion that authenticated its request, where there was one, and
/// spends it in the same transaction: where it was spent before, nothing else happens and the
/// answer says so (RFC 7523 §3: `jti`).
package protocol GrantStore: Sendable {
    /// Spends an authorization code and keeps the grant it stands for
    /// (docs/decisions/0033).
    ///
    /// Of any number of concurrent calls with one grant id, or with one request id, exactly one
    /// gets `.redeemed`, and only while the browser session and person it names are live. It is
    /// called for a presentation that is right in every respect, so a second one revokes, in the
    /// same step, what the first one issued (RFC 6749 §4.1.2).
    func redeem(
        _ grant: Grant,
        requestID: UniqueID,
        spending assertion: UsedAssertion?,
        at now: Int64
    ) async throws -> Redemption

    /// Spends an authorization code that was presented wrongly: keeps its id as refused, so that
    /// it is never good again. Does nothing where it was redeemed before. `.redeemed` says here
    /// that this call spent it.
    func refuse(
        _ grant: Grant,
        requestID: UniqueID,
        spending assertion: UsedAssertion?,
        at now: Int64
    ) async throws -> Redemption

    /// Whether a grant was made, or refused, for that authorization request (RFC 9126 §4).
    func isAnswered(requestID: UniqueID) async throws -> Bool

    /// Keeps a grant that no code stands for (client_credentials).
    func insert(_ grant: Grant, spending assertion: UsedAssertion?, at now: Int64) async throws
        -> Redemption

    /// The grant of that id, live or not, with its person and their roles.
    func grant(id: UniqueID, realmID: String, at now: Int64) async throws -> GrantReading?

    /// Moves a live grant's refresh state from `generation` to the next: of any number of
    /// concurrent calls with one generation exactly one gets `.rotated`.
    ///
    /// Unless the grant is offline, that is a use of its browser session: noted in the same step, where
    /// the last one was noted five minutes ago or more (``SessionActivity/precision``). A session that
    /// nobody used for `sessionIdle` seconds stays unused.
    func rotate(
        _ rotation: Rotation,
        sessionIdle: Int64,
        spending assertion: UsedAssertion?,
        at now: Int64
    ) async throws -> RotationOutcome

    /// Ends a grant with everything issued from it. Ending it twice changes nothing.
    func revoke(id: UniqueID, spending assertion: UsedAssertion?, at now: Int64) async throws
        -> Revocation

    /// Spends an assertion and does nothing else.
    func spend(_ assertion: UsedAssertion, at now: Int64) async throws -> Spending

    /// Removes grants that have been dead since before `time`, and assertions that expired before
    /// it. A spent code's row outlives the code by a day.
    func purge(before time: Int64) async throws
}

package enum Redemption: Hashable, Sendable {
    case redeemed
    /// The code, or the authorization request it answers, was spent before.
    case replayed
    /// The browser session or the person behind the code is gone.
    case sessionEnded
    case assertionSpent
}

/// A grant as it stands now.
package struct GrantReading: Hashable, Sendable {
    package var grant: Grant
    package var isLive: Bool
    package var person: PersonWithRoles?

    package init(grant: Grant, isLive: Bool, person: PersonWithRoles?) {
        self.grant = grant
        self.isLive = isLive
        self.person = person
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
    case assertionSpent
}

package enum Revocation: Hashable, Sendable {
    case revoked
    case notFound
    case assertionSpent
}

package enum Spending: Hashable, Sendable {
    case spent
    case assertionSpent
}

/// A client assertion that was presented (RFC 7523 §3).
package struct UsedAssertion: Hashable, Sendable {
    /// The hash of realm, client and `jti`.
    package var hash: Hash256
    /// When it expires by itself; seconds since 1970.
    package var expiresAt: Int64

    package init(hash: Hash256, expiresAt: Int64) {
        self.hash = hash
        self.expiresAt = expiresAt
    }
}

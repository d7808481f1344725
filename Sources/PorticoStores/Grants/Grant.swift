package import PorticoBytes
package import PorticoProtocol

/// What a redemption yields: the right of a client to act, for a person or for itself. One row.
package struct Grant: Hashable, Sendable {
    package var id: UniqueID
    package var realmID: String
    /// The client's UUID.
    package var clientID: String
    /// `nil` for client_credentials.
    package var personID: String?
    /// `sid` of the browser session it hangs on, or came from.
    package var sessionID: String?
    package var scope: Scope
    /// An `offline_access` grant lives on when the browser session ends.
    package var isOffline: Bool
    /// Whether it lives on by its own times when its browser session is idle or expires. Where that
    /// is ended, it ends with it, unless it is offline: then it is a session of its own
    /// (docs/decisions/0064, 0111).
    package var hasOwnTimes = false
    package var authenticatedAt: Int64?
    package var acr: String?
    package var amr: [String]
    /// The `claims` parameter (OpenID Connect Core §5.5), compact JSON, for later tokens.
    package var claims: String?
    package var createdAt: Int64
    /// The grant is dead when nothing was refreshed for this many seconds,
    package var idleSeconds: Int64
    /// and at this time whatever happens; `nil`: no such time.
    package var expiresAt: Int64?
    package var refresh: RefreshState?
    /// The key that its refresh tokens are bound to (RFC 9449 §5); `nil`: they are bound to none.
    package var dpopKey: JWKThumbprint?
    /// The first generation that is bound to it: a public client may prove its key at a refresh only.
    package var boundSince: UInt32 = 0
    /// The key that its client authenticated with at first, where no other is taken: key id,
    /// algorithm and thumbprint with a space between them.
    package var clientKey: String?

    package init(
        id: UniqueID,
        realmID: String,
        clientID: String,
        personID: String?,
        sessionID: String?,
        scope: Scope,
        isOffline: Bool,
        authenticatedAt: Int64?,
        acr: String?,
        amr: [String],
        claims: String?,
        createdAt: Int64,
        idleSeconds: Int64,
        expiresAt: Int64?,
        refresh: RefreshState?
    ) {
        self.id = id
        self.realmID = realmID
        self.clientID = clientID
        self.personID = personID
        self.sessionID = sessionID
        self.scope = scope
        self.isOffline = isOffline
        self.authenticatedAt = authenticatedAt
        self.acr = acr
        self.amr = amr
        self.claims = claims
        self.createdAt = createdAt
        self.idleSeconds = idleSeconds
        self.expiresAt = expiresAt
        self.refresh = refresh
    }
}

/// What is kept of a family of refresh tokens: no token, and nothing that makes one without the
/// key ring (docs/decisions/0035).
package struct RefreshState: Hashable, Sendable {
    /// The one valid generation, from 1.
    package var generation: UInt32
    /// 32 random bytes, part of every token's MAC.
    package var secret: [UInt8]
    /// Which master key of the ring the MAC key is derived from; 4 bytes.
    package var keyID: [UInt8]
    /// When the current generation was made; seconds since 1970.
    package var rotatedAt: Int64
    /// The hash of the `Idempotency-Key` of the last rotation, where it had one.
    package var idempotencyKey: Hash256?

    package init(
        generation: UInt32,
        secret: [UInt8],
        keyID: [UInt8],
        rotatedAt: Int64,
        idempotencyKey: Hash256?
    ) {
        self.generation = generation
        self.secret = secret
        self.keyID = keyID
        self.rotatedAt = rotatedAt
        self.idempotencyKey = idempotencyKey
    }
}

extension Grant {
    /// Whether a refresh comes from the client that made the current generation
    /// (docs/decisions/0035): of a grant that is bound to a key, by the proof of it alone.
    ///
    /// - Parameter proof: The key that the request proves, if any.
    package func wasRotated(
        by key: Hash256?,
        proving proof: JWKThumbprint?,
        at now: Int64,
        grace: Int64
    ) -> Bool {
        guard let refresh else { return false }
        guard let dpopKey else { return refresh.wasRotated(by: key, at: now, grace: grace) }
        return proof == dpopKey
    }
}

extension RefreshState {
    /// Whether a request comes from the client that made the current generation (docs/decisions/0035): by
    /// the same `Idempotency-Key`, at any time; or, where neither has one, within `grace` seconds.
    package func wasRotated(by key: Hash256?, at now: Int64, grace: Int64) -> Bool {
        guard let idempotencyKey else { return key == nil && now - rotatedAt < grace }
        return key == idempotencyKey
    }
}

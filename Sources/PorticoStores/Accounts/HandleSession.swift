import PorticoBytes

/// What a host of the AT Protocol gave for a session: its tokens, and what they are good
/// for (docs/decisions/0056).
package struct HandleSession: Hashable, Sendable {
    /// ``PersonSession/id``.
    package var sessionID: String
    package var did: String
    /// Verified both ways, or `handle.invalid`.
    package var handle: String
    /// The origin of the person's host (PDS).
    package var host: String
    /// The host's authorization server, which gave the tokens.
    package var issuer: String
    package var clientID: String
    /// The key of ours that the client proved itself by at sign-in; `nil` for a public client.
    package var clientKeyID: String?
    package var askedScope: String
    package var scope: String
    /// The tokens and the key that they are bound to, sealed at rest for this session; `nil` where
    /// they are revoked, or the host ended them.
    package var sealed: String?
    /// Of the access token, if the host said so. Seconds since 1970, as all times here.
    package var accessExpiresAt: Int64?
    package var createdAt: Int64
    package var refreshedAt: Int64
    /// Of ``sealed``: counts the tokens that were stored.
    package var revision: Int64
    /// When this revision's refresh token went out, with no answer stored since.
    package var sentAt: Int64?
    /// Until when seals of another system, which name no session, open this one; `nil`: never, or
    /// not any more (docs/decisions/0066).
    package var foreignSealsUntil: Int64?

    package init(_ new: NewHandleSession, sessionID: String, at now: Int64) {
        self.sessionID = sessionID
        did = new.did
        handle = new.handle
        host = new.host
        issuer = new.issuer
        clientID = new.clientID
        clientKeyID = new.clientKeyID
        askedScope = new.askedScope
        scope = new.scope
        sealed = new.sealed
        accessExpiresAt = new.accessExpiresAt
        createdAt = now
        refreshedAt = now
        revision = 1
        sentAt = nil
        foreignSealsUntil = new.foreignSealsUntil
    }
}

/// What a sign-in by handle brings beside the session that begins.
package struct NewHandleSession: Hashable, Sendable {
    package var did: String
    package var handle: String
    package var host: String
    package var issuer: String
    package var clientID: String
    package var clientKeyID: String?
    package var askedScope: String
    package var scope: String
    /// Sealed for the id of the session.
    package var sealed: String
    package var accessExpiresAt: Int64?
    /// It comes from another system, whose seals open it until then. One live session of a DID
    /// can.
    package var foreignSealsUntil: Int64?

    package init(
        did: String,
        handle: String,
        host: String,
        issuer: String,
        clientID: String,
        clientKeyID: String?,
        askedScope: String,
        scope: String,
        sealed: String,
        accessExpiresAt: Int64?,
        foreignSealsUntil: Int64? = nil
    ) {
        self.did = did
        self.handle = handle
        self.host = host
        self.issuer = issuer
        self.clientID = clientID
        self.clientKeyID = clientKeyID
        self.askedScope = askedScope
        self.scope = scope
        self.sealed = sealed
        self.accessExpiresAt = accessExpiresAt
        self.foreignSealsUntil = foreignSealsUntil
    }
}

/// A live session by handle, with whom it stands for.
package struct LiveHandleSession: Hashable, Sendable {
    package var live: LiveSession
    package var handle: HandleSession
}

/// The right to refresh a session's tokens, for a while (docs/decisions/0057).
package struct RefreshLease: Hashable, Sendable {
    /// 16 random bytes.
    package let id: [UInt8]
    /// The tokens that are to be refreshed.
    package let revision: Int64
    /// Seconds since 1970; afterwards another may have it, unless the refresh token went out: then
    /// the whole of ``seconds`` later.
    package let until: Int64

    /// How long a lease is. A refresh takes less.
    package static let seconds: Int64 = 30

    package init(id: [UInt8], revision: Int64, until: Int64) {
        self.id = id
        self.revision = revision
        self.until = until
    }
}

package enum LeaseOutcome: Hashable, Sendable {
    /// The session as it is now.
    case leased(HandleSession)
    /// Another has it.
    case held(until: Int64)
    /// Other tokens are stored by now.
    case changed(HandleSession)
    /// The session is over.
    case ended
}

package enum KeepOutcome: Hashable, Sendable {
    case kept
    /// Other tokens were stored before. Nothing has happened.
    case changed
    /// The session ended meanwhile: the tokens are kept to be revoked.
    case ended
}

/// Tokens whose session has ended, taken to be revoked.
package struct DueRevocation: Hashable, Sendable {
    package var session: HandleSession
    /// This one counted.
    package var tries: Int64
}

/// A key that we prove ourselves by as a client of hosts (RFC 7523 §2.2).
package struct HandleClientKey: Hashable, Sendable {
    package var keyID: String
    /// `alg` of JWS, such as `ES256`.
    package var algorithm: String
    package var sealedPrivateKey: String
    /// Seconds since 1970, as all times here.
    package var createdAt: Int64
    /// New sessions use it from then on: hosts need time to see it first.
    package var activeFrom: Int64
    /// No new session uses it from then on.
    package var retiredAt: Int64?
    /// No one may use it any more.
    package var withdrawnAt: Int64?

    package init(
        keyID: String,
        algorithm: String,
        sealedPrivateKey: String,
        createdAt: Int64,
        activeFrom: Int64,
        retiredAt: Int64? = nil,
        withdrawnAt: Int64? = nil
    ) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
        self.activeFrom = activeFrom
        self.retiredAt = retiredAt
        self.withdrawnAt = withdrawnAt
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// How long a grant lives that a person gave a client (docs/decisions/0111; RFC 9700 §4.14.2: refresh
/// tokens expire by inactivity).
struct GrantLife: Equatable, Sendable {
    let isOffline: Bool
    let hasOwnTimes: Bool
    let idle: Int64
    /// Seconds since 1970; `nil`: as long as it is used.
    let expiresAt: Int64?

    init(of client: Client, offline isOffline: Bool, in realm: LiveRealm, at now: Int64) {
        let lifetimes = realm.lifetimes
        switch (isOffline, client.staySignedIn) {
        case (_, .apart(let unused, let most)):
            self.isOffline = true
            hasOwnTimes = true
            idle = unused
            expiresAt = now + most
            return
        case (true, _):
            hasOwnTimes = false
            idle = lifetimes.offlineIdle
            expiresAt = lifetimes.offlineMaximum.map { now + $0 }
        case (false, .session):
            hasOwnTimes = false
            idle = lifetimes.sessionIdle
            expiresAt = now + lifetimes.sessionMaximum
        case (false, .realm):
            hasOwnTimes = true
            idle = lifetimes.appIdle
            expiresAt = nil
        case (false, .idle(let seconds)):
            hasOwnTimes = true
            idle = seconds
            expiresAt = nil
        }
        self.isOffline = isOffline
    }
}

extension Grant {
    /// One that begins with a request, for a person who signed in to a session.
    init(
        id: UniqueID,
        to request: TokenRequest,
        of personID: String?,
        in sessionID: String?,
        scope: Scope,
        offline: Bool,
        authenticatedAt: Int64?,
        acr: String?,
        amr: [String],
        ring: KeyRing
    ) {
        let client = request.client
        let now = request.moment.seconds
        let life = GrantLife(of: client, offline: offline, in: request.realm, at: now)
        self.init(
            id: id,
            realmID: request.realm.id,
            clientID: client.id,
            personID: personID,
            sessionID: sessionID,
            scope: scope,
            isOffline: life.isOffline,
            authenticatedAt: authenticatedAt,
            acr: acr,
            amr: amr,
            claims: nil,
            createdAt: now,
            idleSeconds: life.idle,
            expiresAt: life.expiresAt,
            // Which clients get one is the registration's decision (RFC 9700 §4.14.2).
            refresh: client.grantTypes.contains(.refreshToken)
                ? RefreshState(first: request.moment, ring: ring) : nil
        )
        hasOwnTimes = life.hasOwnTimes
        dpopKey = request.proven.boundKey(in: request.realm)
    }
}

/// A one-time value was presented again by its own authenticated client: a sign of theft (RFC 9700
/// §2.2.2, §4.14.2; RFC 6749 §10.5). The client reads ``error``; the security log gets what was replayed and
/// its owner.
struct ReplayRefusal: Error {
    enum Subject: String, Sendable {
        case code
        case refreshToken = "refresh_token"
        /// A rotated refresh token, presented for a login token: that ends nothing, because another
        /// process of the app may have rotated it.
        case subjectToken = "subject_token"
        /// Of the server before (docs/decisions/0051).
        case oldRefreshToken = "old_refresh_token"
    }

    let subject: Subject
    /// The grant of the code or token.
    let grant: Grant
    let error: OAuthError
}

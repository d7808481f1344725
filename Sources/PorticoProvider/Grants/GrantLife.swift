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
        self.isOffline = isOffline || client.documented != nil
        switch (client.documented, isOffline, client.staySignedIn) {
        case (_?, _, _):
            // Otherwise a session of the AT Protocol ended with that of the browser.
            hasOwnTimes = false
            idle = ATLifetimes.idle(of: client)
            expiresAt = now + ATLifetimes.most(of: client)
        case (nil, true, _):
            hasOwnTimes = false
            idle = lifetimes.offlineIdle
            expiresAt = lifetimes.offlineMaximum.map { now + $0 }
        case (nil, false, .session):
            hasOwnTimes = false
            idle = lifetimes.sessionIdle
            expiresAt = now + lifetimes.sessionMaximum
        case (nil, false, .realm):
            hasOwnTimes = true
            idle = lifetimes.appIdle
            expiresAt = nil
        case (nil, false, .idle(let seconds)):
            hasOwnTimes = true
            idle = seconds
            expiresAt = nil
        }
    }
}

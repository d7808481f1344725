import PorticoBytes
import PorticoStores

/// Begins browser sessions (OpenID Connect Core §3.1.2.3).
struct SessionStart: Sendable {
    let sessions: any BrowserSessionStore
    let sessionEnded: @Sendable () -> Void

    /// A session with a new id and a new cookie, in place of the one that the browser had: no id
    /// survives a sign-in. The stronger hash, where there is one, is kept in the same transaction.
    ///
    /// - Returns: The session and the cookie's value: 43 characters that are kept nowhere.
    func callAsFunction(
        _ credentials: PersonCredentials,
        rehashed: PasswordHash?,
        in realm: LiveRealm,
        replacing old: Hash256?,
        device: String,
        at moment: Moment
    ) async throws -> (session: BrowserSession, cookie: String) {
        let cookie = moment.random.text(32)
        let session = BrowserSession(
            id: UniqueID(random: moment.random).text,
            realmID: realm.realm.id,
            personID: credentials.person.id,
            cookieHash: Hash256(of: cookie),
            authenticatedAt: moment.seconds,
            acr: ProvenRequest.passwordACR,
            amr: ["pwd"],
            device: device,
            createdAt: moment.seconds,
            lastSeenAt: moment.seconds,
            expiresAt: moment.seconds + realm.realm.lifetimes.sessionMaximum,
            epoch: credentials.epoch
        )
        let upgrade = rehashed.flatMap { new in
            credentials.password.map { PasswordUpgrade(from: $0, to: new) }
        }
        try await sessions.start(session, replacing: old, upgrading: upgrade)
        if old != nil { sessionEnded() }
        return (session, cookie)
    }
}

import PorticoBytes
import PorticoStores

/// Begins browser sessions (OpenID Connect Core §3.1.2.3).
struct SessionStart: Sendable {
    let sessions: BrowserSessionStore
    let sessionEnded: @Sendable () -> Void

    /// Begins a session with a new cookie. The browser's earlier session continues if it belongs to
    /// the same person, and otherwise ends with all that depends on it (docs/decisions/0019). A
    /// stronger hash, if any, is stored in the same transaction.
    ///
    /// - Parameter use: The code of the person's second factor, if they have one.
    /// - Returns: The session, the cookie's value, 43 characters that are stored nowhere, and the
    ///   `sid` of another person's session that has ended.
    /// - Throws: ``CodeSpent``.
    func callAsFunction(
        _ credentials: PersonCredentials,
        rehashed: PasswordHash?,
        spending use: CredentialUse?,
        in realm: LiveRealm,
        replacing old: Hash256?,
        device: String,
        at moment: Moment
    ) async throws -> (session: BrowserSession, cookie: String, ended: String?) {
        let cookie = moment.random.text(32)
        let session = BrowserSession(
            id: UniqueID(random: moment.random).text,
            realmID: realm.realm.id,
            personID: credentials.person.id,
            cookieHash: Hash256(of: cookie),
            authenticatedAt: moment.seconds,
            acr: RealmMetadata.passwordACR,
            amr: use == nil ? ["pwd"] : ["pwd", "otp"],
            device: device,
            createdAt: moment.seconds,
            lastSeenAt: moment.seconds,
            expiresAt: moment.seconds + realm.realm.lifetimes.sessionMaximum,
            epoch: credentials.epoch
        )
        let upgrade = rehashed.flatMap { new in
            credentials.password.map { PasswordUpgrade(from: $0, to: new) }
        }
        let beginning = try await sessions.start(
            session,
            replacing: old,
            upgrading: upgrade,
            spending: use
        )
        switch beginning {
        case .codeSpent: throw CodeSpent()
        case .began: return (session, cookie, nil)
        case .wentOn(let kept): return (kept, cookie, nil)
        case .tookOver(let ended):
            sessionEnded()
            return (session, cookie, ended)
        }
    }
}

/// The code of a second factor has been used before.
struct CodeSpent: Error {}

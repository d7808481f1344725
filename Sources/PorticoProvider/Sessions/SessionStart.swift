import PorticoBytes
import PorticoStores

/// Begins browser sessions (OpenID Connect Core §3.1.2.3).
struct SessionStart: Sendable {
    let sessions: SessionStore
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
    ) async throws -> (session: PersonSession, cookie: String, ended: String?) {
        let (session, cookie) = new(
            personID: credentials.person.id,
            epoch: credentials.epoch,
            amr: use == nil ? ["pwd"] : ["pwd", "otp"],
            in: realm,
            device: device,
            at: moment
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
        let (kept, ended) = try settle(session, beginning)
        return (kept, cookie, ended)
    }

    /// A session as it is kept where none goes on, and the value of its cookie.
    func new(
        personID: String,
        epoch: Int64,
        amr: [String],
        in realm: LiveRealm,
        device: String,
        at moment: Moment
    ) -> (session: PersonSession, cookie: String) {
        let cookie = moment.random.text(32)
        let session = PersonSession(
            id: UniqueID(random: moment.random).text,
            realmID: realm.realm.id,
            personID: personID,
            cookieHash: Hash256(of: cookie),
            authenticatedAt: moment.seconds,
            acr: RealmMetadata.passwordACR,
            amr: amr,
            device: device,
            createdAt: moment.seconds,
            lastSeenAt: moment.seconds,
            expiresAt: moment.seconds + realm.realm.lifetimes.sessionMaximum,
            epoch: epoch
        )
        return (session, cookie)
    }

    /// The session as it is kept now, and the `sid` of another person's that has ended.
    ///
    /// - Throws: ``CodeSpent``.
    func settle(_ session: PersonSession, _ beginning: SessionBeginning) throws -> (
        kept: PersonSession, ended: String?
    ) {
        switch beginning {
        case .codeSpent: throw CodeSpent()
        case .began: return (session, nil)
        case .wentOn(let kept): return (kept, nil)
        case .tookOver(let ended):
            sessionEnded()
            return (session, ended)
        }
    }
}

/// The code of a second factor has been used before.
struct CodeSpent: Error {}

package import PorticoBytes

/// A person signed in to a realm in one browser: the single sign-on (OpenID Connect Core §3.1.2.3).
package struct BrowserSession: Hashable, Sendable {
    /// `sid`: a UUID. Public; opens nothing.
    package var id: String
    package var realmID: String
    package var personID: String
    /// The SHA-256 of the cookie's 256 random bits.
    package var cookieHash: Hash256
    /// `auth_time`: the last time that credentials were checked, which is after ``createdAt`` where
    /// the person had to prove again who they are. Seconds since 1970.
    package var authenticatedAt: Int64
    /// `acr`, and the methods used (`amr`, RFC 8176).
    package var acr: String
    package var amr: [String]
    /// What the browser is called in a list, such as "Firefox · Linux"; empty: it did not say.
    package var device: String
    package var createdAt: Int64
    package var lastSeenAt: Int64
    /// The end at the latest, unless the person proves again who they are.
    package var expiresAt: Int64
    /// The person's ``PersonCredentials/epoch`` when the credentials were read.
    package var epoch: Int64

    package init(
        id: String,
        realmID: String,
        personID: String,
        cookieHash: Hash256,
        authenticatedAt: Int64,
        acr: String,
        amr: [String],
        device: String,
        createdAt: Int64,
        lastSeenAt: Int64,
        expiresAt: Int64,
        epoch: Int64
    ) {
        self.id = id
        self.realmID = realmID
        self.personID = personID
        self.cookieHash = cookieHash
        self.authenticatedAt = authenticatedAt
        self.acr = acr
        self.amr = amr
        self.device = device
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.expiresAt = expiresAt
        self.epoch = epoch
    }
}

/// Keeps browser sessions.
///
/// A session is live while it has not ended, `expiresAt` lies ahead, it was seen after
/// `now - idle`, and its person is enabled, was not signed out everywhere since, and has a
/// `notBefore` not later than its `authenticatedAt`. All times are seconds since 1970.
///
/// Where a session is ended, each client with a back-channel logout URI that got a grant in it is put
/// down to be told, once, in the same transaction (``LogoutDeliveryStore``).
package protocol BrowserSessionStore: Sendable {
    /// Keeps that somebody proved who they are in a browser: the session of the cookie it had goes on
    /// where it is that person's, and ends where it is another's. The cookie is a new one in any case
    /// (WEB-SESS-1).
    ///
    /// A session goes on where it has not ended and not expired, and its person was not signed out
    /// everywhere since; nobody need have used it lately. It keeps `id` and `createdAt` and takes over
    /// all else that `session` has: no grant in it ends, and nobody is told. A new session whose
    /// person was signed out everywhere after its credentials were read is dead from the start.
    ///
    /// - Parameters:
    ///   - session: As it is kept where none goes on.
    ///   - old: The hash of the cookie that the browser had.
    ///   - upgrade: A stronger hash of the password that was checked, kept in the same step. Nobody is
    ///     signed out by it, and it yields to a password that was changed meanwhile.
    @discardableResult
    func start(
        _ session: BrowserSession,
        replacing old: Hash256?,
        upgrading upgrade: PasswordUpgrade?
    ) async throws -> SessionBeginning

    /// The live session of a cookie with its person.
    func live(cookie: Hash256, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveBrowserSession?

    /// The live session of that `sid` with its person.
    func live(id: String, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveBrowserSession?

    /// Ends a session: every grant that hangs on it is dead from then on. Ending it twice changes
    /// nothing.
    func end(id: String, realmID: String, at now: Int64) async throws -> Change

    /// The live sessions of a person in a realm, the one seen last first, at most `limit`.
    func sessions(
        of personID: String,
        realmID: String,
        at now: Int64,
        idle: Int64,
        limit: Int
    ) async throws -> [BrowserSession]

    /// Ends a session of that person as ``end(id:realmID:at:)`` does, and nobody else's. `.notFound`
    /// also where it was over before.
    func end(id: String, of personID: String, realmID: String, at now: Int64) async throws
        -> Change

    /// Ends every session of that person in the realm but one, all or none.
    ///
    /// - Returns: How many ended.
    func endAll(
        of personID: String,
        except kept: String,
        realmID: String,
        at now: Int64
    ) async throws -> Int

    /// Notes when sessions were last used; many at once, never backwards.
    func touch(_ seen: [(id: String, at: Int64)]) async throws

    /// Removes sessions that ended, or expired, before `time`, where no grant needs them.
    func purge(before time: Int64) async throws
}

/// What became of the session that a browser had when somebody signed in there.
package enum SessionBeginning: Hashable, Sendable {
    /// There was none, or it was over.
    case began
    /// It is the same person's and goes on: as it is kept now.
    case wentOn(BrowserSession)
    /// It was another person's, and has ended: its `sid`.
    case tookOver(String)
}

package struct LiveBrowserSession: Hashable, Sendable {
    package var session: BrowserSession
    package var person: Person

    package init(session: BrowserSession, person: Person) {
        self.session = session
        self.person = person
    }
}

package import PorticoBytes

/// A person signed in to a realm in one browser: the single sign-on (OpenID Connect Core §3.1.2.3).
package struct BrowserSession: Hashable, Sendable {
    /// `sid`: a UUID. Public; opens nothing.
    package var id: String
    package var realmID: String
    package var personID: String
    /// The SHA-256 of the cookie's 256 random bits.
    package var cookieHash: Hash256
    /// `auth_time`: the last time that credentials were checked. Seconds since 1970.
    package var authenticatedAt: Int64
    /// `acr`, and the methods used (`amr`, RFC 8176).
    package var acr: String
    package var amr: [String]
    /// What the browser is called in a list, such as "Firefox · Linux"; empty: it did not say.
    package var device: String
    package var createdAt: Int64
    package var lastSeenAt: Int64
    /// The end at the latest, whatever happens.
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
/// Where a session is ended or replaced, each client with a back-channel logout URI that got a grant
/// in it is put down to be told, once, in the same transaction (``LogoutDeliveryStore``).
package protocol BrowserSessionStore: Sendable {
    /// Starts a session and, in the same step, ends the one it takes the place of
    /// (no session id survives a sign-in). A session whose person was signed out everywhere after
    /// its credentials were read is dead from the start.
    ///
    /// - Parameter upgrade: A stronger hash of the password that was checked, kept in the same step.
    ///   Nobody is signed out by it, and it yields to a password that was changed meanwhile.
    func start(
        _ session: BrowserSession,
        replacing old: Hash256?,
        upgrading upgrade: PasswordUpgrade?
    ) async throws

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

package struct LiveBrowserSession: Hashable, Sendable {
    package var session: BrowserSession
    package var person: Person

    package init(session: BrowserSession, person: Person) {
        self.session = session
        self.person = person
    }
}

/// Keeps whom of the clients must still be told that a session is over (OpenID Connect Back-Channel
/// Logout §2.3, §2.5).
///
/// ``BrowserSessionStore`` and ``PersonStore`` put deliveries down in the transaction that ends the
/// session, so that none is lost; this is how they leave again.
package protocol LogoutDeliveryStore: Sendable {
    /// Takes deliveries that are due, the one that waits longest first, and counts the attempt that
    /// begins. Of any number of concurrent calls exactly one gets a delivery; it is due again at
    /// `lease`, in case its taker never comes back. Seconds since 1970.
    func claim(at now: Int64, until lease: Int64, limit: Int) async throws -> [LogoutDelivery]

    /// Removes what is done with, and puts off the rest, each until its time (seconds since 1970),
    /// with its count of attempts as it is given. What is not there any more stays away.
    func settle(_ done: [LogoutDelivery], postponing: [(delivery: LogoutDelivery, until: Int64)])
        async throws
}

/// One client that got a grant in one session, and has not been told yet that this is over.
package struct LogoutDelivery: Hashable, Sendable {
    /// `sid`.
    package var sessionID: String
    /// The client's UUID.
    package var clientID: String
    package var realmID: String
    package var personID: String
    /// Attempts to tell, those under way included.
    package var attempts: Int64

    package init(
        sessionID: String,
        clientID: String,
        realmID: String,
        personID: String,
        attempts: Int64
    ) {
        self.sessionID = sessionID
        self.clientID = clientID
        self.realmID = realmID
        self.personID = personID
        self.attempts = attempts
    }
}

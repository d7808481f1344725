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

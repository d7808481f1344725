package import PorticoBytes

/// A refresh token of the server that a realm comes from, and the session it belongs to there
/// (docs/decisions/0051).
package struct MovedToken: Hashable, Sendable {
    /// What is good once.
    package var hash: Hash256
    package var realmID: String
    /// `sid`.
    package var sessionID: String
    package var isOffline: Bool
    /// `client_id`.
    package var clientID: String

    package init(
        hash: Hash256,
        realmID: String,
        sessionID: String,
        isOffline: Bool,
        clientID: String
    ) {
        self.hash = hash
        self.realmID = realmID
        self.sessionID = sessionID
        self.isOffline = isOffline
        self.clientID = clientID
    }
}

/// What is known of such a token.
package struct MovedReading: Hashable, Sendable {
    /// What it was swapped for.
    package var grantID: UniqueID?
    /// Its session on the list of the server before, if it is there for this client.
    package var listed: ListedSession?
    /// Whether its session has ended here.
    package var isEnded: Bool

    package init(grantID: UniqueID?, listed: ListedSession?, isEnded: Bool) {
        self.grantID = grantID
        self.listed = listed
        self.isEnded = isEnded
    }
}

/// A session that was alive at the server before, for one client. Times are seconds since 1970.
package struct ListedSession: Hashable, Sendable {
    package var sessionID: String
    package var isOffline: Bool
    package var clientID: String
    package var personID: String
    package var startedAt: Int64

    package init(
        sessionID: String,
        isOffline: Bool,
        clientID: String,
        personID: String,
        startedAt: Int64
    ) {
        self.sessionID = sessionID
        self.isOffline = isOffline
        self.clientID = clientID
        self.personID = personID
        self.startedAt = startedAt
    }
}

package enum SwapOutcome: Hashable, Sendable {
    case swapped
    /// It is used up: read again.
    case usedBefore
    case sessionEnded
    /// The person is gone or disabled, or was signed out everywhere since.
    case personGone
    case spentBefore(UsedAssertion.Kind)
}

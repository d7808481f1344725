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

/// What became of the session that a browser had when a person signed in.
package enum SessionBeginning: Hashable, Sendable {
    /// There was none, or it was over.
    case began
    /// It is the same person's and goes on: as it is kept now.
    case wentOn(BrowserSession)
    /// It was another person's, and has ended: its `sid`.
    case tookOver(String)
    /// The code that it was to begin by is spent, or its credential gone: nothing has changed.
    case codeSpent
}

package struct LiveBrowserSession: Hashable, Sendable {
    package var session: BrowserSession
    package var person: Person

    package init(session: BrowserSession, person: Person) {
        self.session = session
        self.person = person
    }
}

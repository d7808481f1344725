package import PorticoBytes

/// A person signed in at the BFF in one browser or app (docs/decisions/0029). One row, revocable.
package struct AccountSession: Hashable, Sendable {
    package var id: UniqueID
    package var personID: String
    package var form: Form
    /// The identity that signed in: unlinking it, or its provider's logout, ends the session.
    package var identity: IdentityKey
    /// `sid` in that identity's ID Token (OpenID Connect Back-Channel Logout §2.1).
    package var providerSessionID: String?
    /// What the person sees in the list of devices: the browser's or app's name and system.
    package var device: String
    /// The address it began at, as text; `nil` where it is not known.
    package var address: String?
    /// When the person last proved who they are: the provider's `auth_time`, or when a mailed code
    /// came back. `nil`: the provider does not say when, and a sign-in alone is no proof, because a provider may
    /// answer by a session that it still has. Seconds since 1970, as all times here.
    package var provenAt: Int64?
    /// When the person signed in.
    package var createdAt: Int64
    package var lastSeenAt: Int64
    /// The session is dead when it was not seen for this many seconds,
    package var idleSeconds: Int64
    /// and at this time whatever happens.
    package var expiresAt: Int64

    package enum Form: Hashable, Sendable {
        /// By cookie: the SHA-256 of its 256 random bits.
        case browser(cookieHash: Hash256)
        /// By bearer token, of an app's name. No token is kept: its MAC is computed from
        /// ``RefreshState/secret`` and the key ring.
        case app(name: String, refresh: RefreshState)
    }
}

/// A session that is to begin; the transaction that starts it says whose it is.
package struct NewAccountSession: Hashable, Sendable {
    package var id: UniqueID
    package var form: Form
    package var providerSessionID: String?
    package var device: String
    package var address: String?
    /// When the provider last asked the person who they are, as it says; `nil` where it does not.
    package var provenAt: Int64?
    package var idleSeconds: Int64
    package var expiresAt: Int64
    /// Of a browser: the session that its cookie `sid` opens. It ends in the same step, where it is
    /// another person's or a browser's; the person's own app keeps its own.
    package var replacesByHandle: UniqueID?

    package enum Form: Hashable, Sendable {
        /// Begins at once; the session of the cookie that the browser had ends in the same step
        /// (WEB-SESS-1).
        case browser(cookieHash: Hash256, replacing: Hash256?)
        /// Waits for the app to redeem its code (docs/decisions/0013).
        case handOff(HandOff)
        /// Begins at once: the app itself is at the other end (native identity tokens).
        case app(name: String, refresh: RefreshState)
    }

    package init(
        id: UniqueID,
        form: Form,
        providerSessionID: String?,
        device: String,
        address: String?,
        provenAt: Int64? = nil,
        idleSeconds: Int64,
        expiresAt: Int64,
        replacesByHandle: UniqueID? = nil
    ) {
        self.id = id
        self.form = form
        self.providerSessionID = providerSessionID
        self.device = device
        self.address = address
        self.provenAt = provenAt
        self.idleSeconds = idleSeconds
        self.expiresAt = expiresAt
        self.replacesByHandle = replacesByHandle
    }
}

/// A one-time hand-off code and what it is bound to (docs/decisions/0013).
package struct HandOff: Hashable, Sendable {
    /// The SHA-256 of the code's 256 random bits.
    package var codeHash: Hash256
    package var app: String
    /// The SHA-256 of the redirect URI that the code is sent to.
    package var redirectHash: Hash256
    /// The app's S256 challenge: the SHA-256 of its verifier.
    package var challenge: Hash256
    /// 60 seconds after it was made.
    package var expiresAt: Int64

    package init(
        codeHash: Hash256,
        app: String,
        redirectHash: Hash256,
        challenge: Hash256,
        expiresAt: Int64
    ) {
        self.codeHash = codeHash
        self.app = app
        self.redirectHash = redirectHash
        self.challenge = challenge
        self.expiresAt = expiresAt
    }
}

/// A live session with whom it stands for.
package struct LiveAccountSession: Hashable, Sendable {
    package var session: AccountSession
    package var person: Person
    /// The names of the providers that the person has identities at, in the order of linking.
    package var providers: [String]
}

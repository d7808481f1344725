package import PorticoBytes

/// A person signed in to a realm, in one browser or app (docs/decisions/0166). One row, revocable.
/// Grants hang on it: it is the single sign-on (OpenID Connect Core §3.1.2.3).
package struct PersonSession: Hashable, Sendable {
    /// `sid`: a UUID. Public; opens nothing.
    package var id: String
    package var realmID: String
    package var personID: String
    /// The person's ``PersonCredentials/epoch`` when they signed in.
    package var epoch: Int64
    package var form: Form
    /// The identity that signed in: unlinking it, or its provider's logout, ends the session. `nil`: a
    /// password did.
    package var identity: IdentityKey?
    /// `sid` in that identity's ID Token (OpenID Connect Back-Channel Logout §2.1).
    package var providerSessionID: String?
    /// `auth_time`: when the person last signed in, which is after ``createdAt`` where they had to do it
    /// again. Seconds since 1970, as all times here.
    package var authenticatedAt: Int64
    /// `acr`, and the methods used (`amr`, RFC 8176).
    package var acr: String
    package var amr: [String]
    /// When the person last proved who they are: by a password, at the provider's `auth_time`, or when a
    /// mailed code came back. `nil`: the provider does not say when, and a sign-in alone is no proof,
    /// because a provider may answer by a session that it still has.
    package var provenAt: Int64?
    /// What the person sees in the list of devices, such as "Firefox · Linux", or the app's name and
    /// system; empty: it did not say.
    package var device: String
    /// The address it began at, as text; `nil` where it is not kept.
    package var address: String?
    package var createdAt: Int64
    package var lastSeenAt: Int64
    /// The session is dead when it was not seen for this many seconds; `nil`: for as long as its realm
    /// says now.
    package var idleSeconds: Int64?
    /// The end at the latest, unless the person signs in again.
    package var expiresAt: Int64

    package enum Form: Hashable, Sendable {
        /// By cookie: the SHA-256 of its 256 random bits.
        case browser(cookieHash: Hash256)
        /// By bearer token, of an app's name. No token is kept: its MAC is computed from
        /// ``RefreshState/secret`` and the key ring.
        case app(name: String, refresh: RefreshState)
        /// Waits for its app to redeem the code that brings it there (docs/decisions/0013).
        case handOff(HandOff)

        /// The app's name, or that of the app that it waits for.
        package var app: String? {
            switch self {
            case .browser: nil
            case .app(let name, _): name
            case .handOff(let code): code.app
            }
        }
    }

    /// The app's name, or that of the app that it waits for.
    package var app: String? { form.app }

    /// How many seconds a proof of identity at a provider, or by a mailed code, is valid (WEB-SESS-8).
    package static let proofLife: Int64 = 600

    /// Whether its person, whom a provider has signed in, has recently proven who they are.
    ///
    /// Signing in alone is not a proof: the provider may use an existing session of a person who
    /// has left. If the provider does not report when it asked, and the person has no address for
    /// an emailed code, a sign-in must be enough.
    package func isProven(_ person: Person, at now: Int64) -> Bool {
        if let provenAt { return now - provenAt <= Self.proofLife }
        return person.email == nil && now - authenticatedAt <= Self.proofLife
    }

    package var cookieHash: Hash256? {
        guard case .browser(let hash) = form else { return nil }
        return hash
    }
}

extension PersonSession {
    /// In a browser, by a password: it proves the person, and is idle for as long as the realm says.
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
        self.init(
            id: id,
            realmID: realmID,
            personID: personID,
            epoch: epoch,
            form: .browser(cookieHash: cookieHash),
            authenticatedAt: authenticatedAt,
            acr: acr,
            amr: amr,
            provenAt: authenticatedAt,
            device: device,
            createdAt: createdAt,
            lastSeenAt: lastSeenAt,
            expiresAt: expiresAt
        )
    }

    /// By an identity at a provider.
    ///
    /// - Parameter epoch: The person's, as it was read with them.
    package init(
        _ new: NewSession,
        of person: Person,
        epoch: Int64,
        by identity: Identity,
        at now: Int64
    ) {
        self.init(
            id: new.id,
            realmID: person.realmID,
            personID: person.id,
            epoch: epoch,
            form: new.form,
            identity: IdentityKey(issuer: identity.issuer ?? "", subject: identity.subject),
            providerSessionID: new.providerSessionID,
            authenticatedAt: now,
            acr: "1",
            amr: [],
            // A clock that is ahead of ours makes no proof newer than now.
            provenAt: new.provenAt.map { max(0, min($0, now)) },
            device: new.device,
            address: new.address,
            createdAt: now,
            lastSeenAt: now,
            idleSeconds: new.idleSeconds,
            expiresAt: new.expiresAt
        )
    }
}

/// A session that a sign-in at a provider is to begin; the transaction that starts it says whose it is.
package struct NewSession: Hashable, Sendable {
    package var id: String
    /// A browser's and an app's begin at once: with native identity tokens the app itself is at the
    /// other end.
    package var form: PersonSession.Form
    package var providerSessionID: String?
    package var device: String
    package var address: String?
    /// When the provider last asked the person who they are, as it says; `nil` where it does not.
    package var provenAt: Int64?
    /// `nil`: as long as the realm says.
    package var idleSeconds: Int64?
    package var expiresAt: Int64
    /// Of a browser: the hash of the cookie that it had, whose session ends in the same step
    /// (WEB-SESS-1).
    package var replaces: Hash256?
    /// Of a browser: the session that its cookie `sid` opens. It ends in the same step, where it is
    /// another person's or a browser's; the person's own app keeps its own.
    package var replacesByHandle: String?

    package init(
        id: String,
        form: PersonSession.Form,
        providerSessionID: String?,
        device: String,
        address: String?,
        provenAt: Int64? = nil,
        idleSeconds: Int64?,
        expiresAt: Int64,
        replaces: Hash256? = nil,
        replacesByHandle: String? = nil
    ) {
        self.id = id
        self.form = form
        self.providerSessionID = providerSessionID
        self.device = device
        self.address = address
        self.provenAt = provenAt
        self.idleSeconds = idleSeconds
        self.expiresAt = expiresAt
        self.replaces = replaces
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
package struct LiveSession: Hashable, Sendable {
    package var session: PersonSession
    package var person: Person
    /// The names of the providers that the person has identities at, in the order of linking, where
    /// they were asked for.
    package var providers: [String]

    package init(session: PersonSession, person: Person, providers: [String] = []) {
        self.session = session
        self.person = person
        self.providers = providers
    }
}

/// What became of the session that a browser had when a person signed in.
package enum SessionBeginning: Hashable, Sendable {
    /// There was none, or it was over.
    case began
    /// It is the same person's and goes on: as it is kept now.
    case wentOn(PersonSession)
    /// It was another person's, and has ended: its `sid`.
    case tookOver(String)
    /// The code that it was to begin by is spent, or its credential gone: nothing has changed.
    case codeSpent
}

package enum SecondStepOutcome: Hashable, Sendable {
    case taken
    /// The code was used before, or its credential is gone.
    case codeSpent
    case sessionEnded
}

/// What came of ending a session.
enum SessionEnding {
    case ended
    /// Something had ended it before: its row is left as it was.
    case endedBefore
    case notFound
}

import PorticoBytes

/// A person came back from an identity provider, proven: what the callback's one transaction does.
package struct SignInEvent: Hashable, Sendable {
    /// The realm whose person it is.
    package var realmID: String
    /// The attempt, the native nonce, or whatever else may be used for one sign-in only.
    package var spending: [SpentOnce]
    /// Spent where the answer is ``SignInOutcome/matches(_:)``, so that what the person decides can
    /// be bound to their having been asked.
    package var question: SpentOnce?
    /// `linkedAt` and `lastUsedAt` are ignored: they are the event's time.
    package var identity: Identity
    /// What the provider says of the person; fills what the account does not have yet.
    package var name: String?
    package var picture: String?
    package var language: String
    package var emailRule: EmailRule
    /// `false`: no account is made. Those that are there can still be asked for, or linked to.
    package var isSignUpOpen: Bool
    /// The id of the account that is made where the identity is unknown.
    package var newPersonID: String
    package var session: NewSession
    /// Who was at the other end, kept with the registration: address and user agent.
    package var userAgent: String?
    /// Queued where a known person signs in whose account has a verified address and is none of
    /// ``knownHere``: the notice of a new device.
    package var notice: MailDraft?
    /// Queued where the identity is linked to an account that was there, and that account has a
    /// verified address: the notice of it.
    package var linkNotice: MailDraft?
    /// Accounts that have signed in from this browser before.
    package var knownHere: [String]
    /// What the session has beside it if it begins by internet handle. ``StoreConflict`` is thrown
    /// where it takes foreign seals and another live session of that DID does.
    package var handleSession: NewHandleSession?

    package init(
        realmID: String,
        spending: [SpentOnce],
        identity: Identity,
        name: String?,
        picture: String?,
        language: String,
        emailRule: EmailRule,
        isSignUpOpen: Bool,
        newPersonID: String,
        session: NewSession,
        userAgent: String?,
        notice: MailDraft?,
        linkNotice: MailDraft? = nil,
        knownHere: [String] = [],
        question: SpentOnce? = nil,
        handleSession: NewHandleSession? = nil
    ) {
        self.realmID = realmID
        self.spending = spending
        self.identity = identity
        self.name = name
        self.picture = picture
        self.language = language
        self.emailRule = emailRule
        self.isSignUpOpen = isSignUpOpen
        self.newPersonID = newPersonID
        self.session = session
        self.userAgent = userAgent
        self.notice = notice
        self.linkNotice = linkNotice
        self.knownHere = knownHere
        self.question = question
        self.handleSession = handleSession
    }

    /// What an unknown identity's e-mail address means for accounts that are there
    /// (docs/decisions/0030). Addresses of relays match nothing, whatever the rule.
    package enum EmailRule: Hashable, Sendable {
        /// A new account, whatever the address.
        case never
        /// Accounts with the same address are answered as ``SignInOutcome/matches(_:)``; nothing
        /// is made.
        case ask
        /// Nothing is made for an unknown person: ``SignInOutcome/matches(_:)`` without any. The person
        /// is asked first whether they have an account, because the address cannot tell
        /// (a relay's).
        case askFirst
        /// As `ask`, but where exactly one account has the address, and it is proven on both sides
        /// (``EmailVerification/isProof``), the identity is linked to it, unless it has another one
        /// at that provider.
        case link
        /// The person has seen the question and wants an account of its own. The new account has
        /// no address where another one has it verified, unless that one was only vouched for and
        /// this identity's is proven.
        case separate
    }
}

/// What came of a sign-in.
package enum SignInOutcome: Hashable, Sendable {
    /// A session began, or waits for its app.
    case signedIn(Person, isNew: Bool)
    /// The attempt was used before. Nothing happened.
    case spent
    /// The account is blocked. Nothing but the attempt is spent.
    case blocked(String)
    /// Unknown, and new people are not let in. Nothing but the attempt is spent.
    case signUpClosed
    /// Unknown, and the person is to be asked: accounts with the address, the oldest first, at most
    /// five; none with ``SignInEvent/EmailRule/askFirst``. Nothing but the attempt is spent.
    case matches([AccountMatch])
}

/// An account with the same e-mail address as an unknown person.
package struct AccountMatch: Hashable, Sendable {
    package var personID: String
    package var verification: EmailVerification
    /// How its person signs in, the one used last first.
    package var providers: [String]
    package var hasPassword: Bool

    package init(
        personID: String,
        verification: EmailVerification,
        providers: [String],
        hasPassword: Bool = false
    ) {
        self.personID = personID
        self.verification = verification
        self.providers = providers
        self.hasPassword = hasPassword
    }
}

/// Everything that can go wrong between an app and its provider.
///
/// One switch over ``kind-swift.property`` is enough: each kind asks for another reaction.
/// ``description`` is made of literals and numbers only, so that printing an error never shows a
/// token, a code or anything that the other side sent.
public struct SignInError: Error, Hashable, Sendable {
    /// Which reaction the error asks for.
    public let kind: Kind

    package init(_ kind: Kind) {
        self.kind = kind
    }

    /// The six reactions that errors ask for.
    public enum Kind: Hashable, Sendable {
        /// The person or the program stopped it. Nothing to report.
        case cancelled(Cancellation)
        /// The person has to do something in the browser: sign in (again), consent.
        case interactionRequired(Interaction)
        /// Try again later; nothing is lost.
        ///
        /// - Parameter retryAfter: What the server asked for, where it did.
        case transient(TransientCause, retryAfter: Duration?)
        /// The app, the provider's settings or this machine must be put right first.
        case misconfigured(Hint)
        /// An answer did not pass a check. All of it was discarded.
        case rejected(Check)
        /// The session could not be kept or read.
        case storage(StorageProblem)
    }
}

extension SignInError {
    /// Who stopped it.
    public struct Cancellation: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// The person closed the browser or the prompt.
        public static let user = Cancellation("The person stopped the sign-in.")
        /// The calling task was cancelled.
        public static let program = Cancellation("The program stopped the sign-in.")
        /// The person or the provider said no (`access_denied`).
        public static let denied = Cancellation(
            "The sign-in was stopped, or access was not allowed."
        )
        /// Nobody finished the sign-in in the browser in time.
        public static let timedOut = Cancellation("The sign-in was not finished in time.")
    }

    /// What the person has to do (OpenID Connect Core §3.1.2.6).
    public struct Interaction: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// Nobody is signed in at the provider, and `prompt=none` forbade to ask.
        public static let loginRequired = Interaction("The provider wants a sign-in.")
        /// The person has not allowed it, and `prompt=none` forbade to ask.
        public static let consentRequired = Interaction("The provider wants consent.")
        /// There are several accounts, and `prompt=none` forbade to ask.
        public static let accountSelectionRequired =
            Interaction("The provider wants an account to be chosen.")
        /// Something else, and `prompt=none` forbade to ask.
        public static let interactionRequired =
            Interaction("The provider wants the person to do something.")
        /// The session is over at the provider; only a new sign-in helps.
        public static let sessionEnded = Interaction("The session has ended. Sign in again.")
        /// There is no refresh token, and the access token has expired.
        public static let expired = Interaction("The access token has expired. Sign in again.")
        /// Signed out, here or in another process.
        public static let signedOut = Interaction("Nobody is signed in.")
    }

    /// Why it did not work this time.
    public struct TransientCause: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// There is no connection, or none to this server.
        public static let unreachable = TransientCause("The server cannot be reached.")
        /// The time limit passed.
        public static let timedOut = TransientCause("The server did not answer in time.")
        /// 5xx, or an answer that no provider would give, as captive portals send.
        public static let serverError = TransientCause("The server cannot answer now.")
        /// Status 429; ``Kind-swift.enum/transient(_:retryAfter:)`` has how long to wait, where it says.
        public static let tooManyRequests = TransientCause("The server asks to slow down.")
        /// Another process holds the session's lock.
        public static let busy = TransientCause("Another process is renewing the session.")
    }

    /// What is wrong with the storage.
    public struct StorageProblem: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// It is there but cannot be opened now.
        public static let locked = StorageProblem("The stored session is locked.")
        /// It is there but damaged, or no file.
        public static let unreadable = StorageProblem("The stored session cannot be read.")
        /// The disk is full, or the folder not ours.
        public static let unwritable = StorageProblem("The session cannot be stored.")
        /// Other accounts of this machine could read or change it.
        public static let exposed =
            StorageProblem("The stored session is open to others on this machine.")
    }
}

extension SignInError.Cancellation: CustomStringConvertible {
    /// One sentence; a literal.
    public var description: String { words }
}

extension SignInError.Interaction: CustomStringConvertible {
    /// One sentence; a literal.
    public var description: String { words }
}

extension SignInError.TransientCause: CustomStringConvertible {
    /// One sentence; a literal.
    public var description: String { words }
}

extension SignInError.StorageProblem: CustomStringConvertible {
    /// One sentence; a literal.
    public var description: String { words }
}

extension SignInError: CustomStringConvertible {
    /// One or two sentences, made of literals and numbers.
    public var description: String {
        switch kind {
        case .cancelled(let cancellation): cancellation.description
        case .interactionRequired(let interaction): interaction.description
        case .transient(let cause, _): cause.description
        case .misconfigured(let hint): hint.description
        case .rejected(let check): check.description
        case .storage(let problem): problem.description
        }
    }
}

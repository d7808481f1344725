/// Everything that can go wrong between an app and its provider.
///
/// One switch over ``kind-swift.property`` is enough: each kind needs a different reaction.
/// ``description`` consists of literals and numbers only, so printing an error never shows a token,
/// a code or any foreign text.
public struct SignInError: Error, Hashable, Sendable {
    /// The reaction that the error needs.
    public let kind: Kind

    /// What the server sent, if it sent an error. Not part of ``description`` or `==`.
    public internal(set) var providerError: ProviderError?

    /// An error of this kind, for an app's own storage and tests.
    public init(_ kind: Kind) {
        self.kind = kind
    }

    /// The seven kinds of reaction.
    public enum Kind: Hashable, Sendable {
        /// The person or the program cancelled. Nothing to report.
        case cancelled(Cancellation)
        /// The person or the provider said no (`access_denied`, RFC 6749 §4.1.2.1).
        case denied
        /// The person has to do something in the browser: sign in (again), consent.
        case interactionRequired(Interaction)
        /// Try again later; nothing is lost.
        ///
        /// - Parameter retryAfter: The delay that the server requested, if any.
        case transient(TransientCause, retryAfter: Duration?)
        /// The app, the provider's settings or this machine must be corrected first.
        case misconfigured(Hint)
        /// An answer failed a check. All of it was discarded.
        case rejected(Check)
        /// The session could not be stored or read.
        case storage(StorageProblem)
    }
}

extension SignInError {
    /// Who cancelled.
    public struct Cancellation: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// The person closed the browser or the prompt.
        public static let user = Cancellation("The person stopped the sign-in.")
        /// The calling task was cancelled.
        public static let program = Cancellation("The program stopped the sign-in.")
        /// The sign-in was not completed in the browser in time.
        public static let timedOut = Cancellation("The sign-in was not finished in time.")
    }

    /// What the person has to do (OpenID Connect Core §3.1.2.6).
    public struct Interaction: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// No one is signed in at the provider, and `prompt=none` did not allow it to ask.
        public static let loginRequired = Interaction("The provider requires a sign-in.")
        /// The person has not given consent, and `prompt=none` did not allow the provider to ask.
        public static let consentRequired = Interaction("The provider requires consent.")
        /// The person has several accounts, and `prompt=none` did not allow the provider to ask.
        public static let accountSelectionRequired =
            Interaction("The provider requires the person to choose an account.")
        /// The provider needs something else from the person, and `prompt=none` did not allow it to
        /// ask.
        public static let interactionRequired =
            Interaction("The provider requires the person to do something.")
        /// The session is over at the provider; only a new sign-in helps.
        public static let sessionEnded = Interaction("The session has ended. Sign in again.")
        /// The access token has expired, and there is no refresh token.
        public static let expired = Interaction("The access token has expired. Sign in again.")
        /// Signed out, by this process or another one.
        public static let signedOut = Interaction("No one is signed in.")
    }

    /// Why it failed this time.
    public struct TransientCause: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// There is no network connection, or no connection to this server.
        public static let unreachable = TransientCause("The server cannot be reached.")
        /// The time limit passed.
        public static let timedOut = TransientCause("The server did not answer in time.")
        /// 5xx, or an answer that no provider gives, such as from a captive portal.
        public static let serverError = TransientCause("The server cannot answer now.")
        /// Status 429; ``Kind-swift.enum/transient(_:retryAfter:)`` has the delay, if the server
        /// gives one.
        public static let tooManyRequests = TransientCause("The server asks to slow down.")
        /// Another process holds the session's lock.
        public static let busy = TransientCause("Another process is renewing the session.")
        /// The system is about to suspend this app, which must not hold the session's lock then.
        public static let suspending = TransientCause("The app is about to be suspended.")
    }

    /// What is wrong with the storage.
    public struct StorageProblem: Hashable, Sendable {
        private let words: String
        private init(_ words: StaticString) { self.words = "\(words)" }

        /// The storage exists but cannot be opened now.
        public static let locked = StorageProblem("The stored session is locked.")
        /// The storage exists but is damaged, or is not a file.
        public static let unreadable = StorageProblem("The stored session cannot be read.")
        /// The disk is full, or the folder belongs to another user.
        public static let unwritable = StorageProblem("The session cannot be stored.")
        /// A later version of the app wrote it, and it must not be overwritten: update this one.
        public static let laterVersion =
            StorageProblem("A later version of the app stored the session.")
        /// A ``SealedFile`` was sealed with another key or under another name, or was changed since. It
        /// is not known whether a session is in it.
        public static let wrongKey = StorageProblem(
            "The stored session does not open with this key, or was changed."
        )
        /// The program is not signed with the entitlement that the keychain needs. On macOS a
        /// program without one uses a ``PrivateFile``.
        public static let entitlementMissing = StorageProblem(
            """
            The keychain needs the entitlement keychain-access-groups, or on macOS \
            com.apple.application-identifier.
            """
        )
        /// A Linux system without a keyring: no libsecret, no D-Bus session, or nothing in it that
        /// keeps secrets. Use a ``PrivateFile`` there.
        public static let noKeyring =
            StorageProblem("There is no keyring here (Secret Service over D-Bus).")
        /// Other accounts of this machine could read or change the storage.
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
        case .denied: "The sign-in was stopped, or access was not allowed."
        case .interactionRequired(let interaction): interaction.description
        case .transient(let cause, _): cause.description
        case .misconfigured(let hint): hint.description
        case .rejected(let check): check.description
        case .storage(let problem): problem.description
        }
    }
}

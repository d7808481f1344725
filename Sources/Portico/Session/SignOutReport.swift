/// How much a sign-out ends.
public struct SignOutScope: Hashable, Sendable {
    let revokes: Bool
    let endsBrowserSession: Bool

    /// Deletes the local session.
    public static let local = SignOutScope(revokes: false, endsBrowserSession: false)
    /// Also revokes its tokens at the provider (RFC 7009).
    public static let tokens = SignOutScope(revokes: true, endsBrowserSession: false)
    /// Also opens the provider's sign-out page in the browser (OpenID Connect RP-Initiated Logout).
    public static let everything = SignOutScope(revokes: true, endsBrowserSession: true)
}

/// The outcome of a sign-out. Even if a remote step fails, the local session is over.
public struct SignOutReport: Sendable {
    /// The outcome for the tokens at the provider (RFC 7009).
    public enum Revocation: Hashable, Sendable {
        /// The provider has revoked them.
        case revoked
        /// The scope of the sign-out did not include it, or there was nothing to revoke.
        case notAsked
        /// The provider has no revocation endpoint, and tokens live until they expire; or the backend
        /// does not end a person's other sessions by this one.
        case notOffered
        /// Revocation failed; the tokens live until they expire.
        case failed(SignInError)
    }

    /// The outcome for the single sign-on session in the browser (OpenID Connect RP-Initiated
    /// Logout).
    public enum BrowserSession: Hashable, Sendable {
        /// The provider sent the browser back: its session is over.
        case ended
        /// The provider's page was opened; the person decides on it whether the session ends, or has
        /// closed it.
        case pageOpened
        /// The scope of the sign-out did not include it.
        case notAsked
        /// The provider has no end session endpoint.
        case notOffered
        /// Sign-out failed; the browser may still be signed in at the provider.
        case failed(SignInError)
    }

    /// The outcome for the tokens at the provider.
    public let revocation: Revocation
    /// The outcome for the single sign-on session in the browser.
    public let browserSession: BrowserSession
    /// `nil` if nothing is left in the storage.
    public let storageError: SignInError?

    /// Whether the provider has revoked the tokens.
    public var revoked: Bool { revocation == .revoked }
    /// Whether the browser came back from the provider's sign-out.
    public var browserSessionEnded: Bool { browserSession == .ended }
    /// Whether nothing is left in the storage.
    public var localCleared: Bool { storageError == nil }
}

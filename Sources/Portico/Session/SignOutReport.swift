/// How far a sign-out goes.
public struct SignOutScope: Hashable, Sendable {
    let revokes: Bool
    let endsBrowserSession: Bool

    /// Forgets the session here.
    public static let local = SignOutScope(revokes: false, endsBrowserSession: false)
    /// And revokes its tokens at the provider (RFC 7009).
    public static let tokens = SignOutScope(revokes: true, endsBrowserSession: false)
    /// And opens the provider's sign-out page in the browser (OpenID Connect RP-Initiated Logout).
    public static let everything = SignOutScope(revokes: true, endsBrowserSession: true)
}

/// What a sign-out achieved. Whatever could not be done elsewhere, the session is over here.
public struct SignOutReport: Sendable {
    /// What became of the tokens at the provider (RFC 7009).
    public enum Revocation: Hashable, Sendable {
        /// The provider has revoked them.
        case revoked
        /// The scope of the sign-out did not ask for it, or there was nothing to revoke.
        case notAsked
        /// The provider has no revocation endpoint; tokens live until they expire.
        case notOffered
        /// It was tried in vain; the tokens live until they expire.
        case failed(SignInError)
    }

    /// What became of the single sign-on in the browser (OpenID Connect RP-Initiated Logout).
    public enum BrowserSession: Hashable, Sendable {
        /// The provider sent the browser back: the session there is over.
        case ended
        /// The provider's page is open; whether it ends the session is between it and the person.
        case pageOpened
        /// The scope of the sign-out did not ask for it.
        case notAsked
        /// The provider has no end session endpoint.
        case notOffered
        /// It was tried in vain; whoever opens the provider's pages may still be signed in there.
        case failed(SignInError)
    }

    /// What became of the tokens at the provider.
    public let revocation: Revocation
    /// What became of the single sign-on in the browser.
    public let browserSession: BrowserSession
    /// `nil` where nothing is left in the storage.
    public let storageError: SignInError?

    /// Whether the provider has revoked the tokens.
    public var revoked: Bool { revocation == .revoked }
    /// Whether the browser came back from the provider's sign-out.
    public var browserSessionEnded: Bool { browserSession == .ended }
    /// Whether nothing is left in the storage.
    public var localCleared: Bool { storageError == nil }
}

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
    public enum Revocation: Hashable, Sendable {
        case revoked
        case notAsked
        /// The provider has no revocation endpoint; tokens live until they expire.
        case notOffered
        case failed(SignInError)
    }

    public enum BrowserSession: Hashable, Sendable {
        /// The provider sent the browser back: the session there is over.
        case ended
        /// The provider's page is open; whether it ends the session is between it and the person.
        case pageOpened
        case notAsked
        case notOffered
        case failed(SignInError)
    }

    public let revocation: Revocation
    public let browserSession: BrowserSession
    /// `nil` where nothing is left in the storage.
    public let storageError: SignInError?

    public var revoked: Bool { revocation == .revoked }
    public var browserSessionEnded: Bool { browserSession == .ended }
    public var localCleared: Bool { storageError == nil }
}

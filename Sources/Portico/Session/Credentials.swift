import PorticoBytes

/// The raw tokens of a session, for libraries that need them.
///
/// Tokens that are bound to a key (``SignInClient/Options/dpop``) are of no use to a library without
/// it, and the key stays with the session. Printing or dumping this type shows none of them.
public struct Credentials: Sendable {
    /// The token for calling APIs (RFC 6750). Keep it out of URLs and logs.
    public let accessToken: String
    /// The token for getting new tokens (RFC 6749 §6). Each use replaces it.
    public let refreshToken: String?
    /// Who signed in (OpenID Connect Core §2). Do not use it to call an API.
    public let idToken: String?
    /// The session that renews them, if they come from one.
    let source: Session?

    /// Tokens that another library obtained, for ``Session/init(adopting:by:)``.
    ///
    /// - Parameters:
    ///   - accessToken: As issued by the token endpoint.
    ///   - refreshToken: The newest, if any.
    ///   - idToken: Required for adoption.
    public init(accessToken: String, refreshToken: String? = nil, idToken: String? = nil) {
        self.init(
            accessToken: accessToken,
            refreshToken: refreshToken,
            idToken: idToken,
            source: nil
        )
    }

    init(accessToken: String, refreshToken: String?, idToken: String?, source: Session?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.source = source
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Credentials(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

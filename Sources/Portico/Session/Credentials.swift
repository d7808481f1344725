import PorticoBytes

/// The raw tokens of a session, for a library that wants them.
///
/// Printing or dumping this shows none of them.
public struct Credentials: Sendable {
    /// What APIs are called with (RFC 6750). Keep it out of URLs and logs.
    public let accessToken: String
    /// What new tokens are had with (RFC 6749 §6). After each use there is another one.
    public let refreshToken: String?
    /// Who signed in (OpenID Connect Core §2). It is no key to any API.
    public let idToken: String?

    /// Tokens that another library obtained, for ``Session/init(adopting:by:)``.
    ///
    /// - Parameters:
    ///   - accessToken: As the token endpoint gave it.
    ///   - refreshToken: The newest, where there is one.
    ///   - idToken: Without one nothing can be adopted.
    public init(accessToken: String, refreshToken: String? = nil, idToken: String? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Credentials(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

import PorticoBytes

/// The raw tokens of a session, for a library that wants them.
///
/// Printing or dumping this shows none of them.
public struct Credentials: Sendable {
    public let accessToken: String
    public let refreshToken: String?
    public let idToken: String?

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

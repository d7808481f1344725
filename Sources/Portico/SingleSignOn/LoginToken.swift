import PorticoBytes

/// A token by which an app hands its sign-in on to another app of the same vendor, from
/// ``Session/loginToken(for:)``: good for one sign-in of one client, for a minute at most.
///
/// Fetch it just before it is used, and store it nowhere. Printing it shows nothing of it.
public struct LoginToken: Hashable, Sendable {
    private let text: String

    /// The token that another app has passed to this one.
    public init(_ text: String) {
        self.text = text
    }

    /// The token itself, to be passed to the other app. Keep it out of URLs and logs.
    public func reveal() -> String { text }

    public static func == (one: LoginToken, other: LoginToken) -> Bool {
        ConstantTime.equal(one.text, other.text)
    }
}

extension LoginToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "LoginToken(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SignInRequest {
    /// A sign-in by a login token that another app has fetched for this one.
    public init(loginToken: LoginToken) {
        self.init()
        self.loginToken = loginToken
    }
}

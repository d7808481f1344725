/// Why there is no reply. A reply with an error status is not such an error.
public struct HTTPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, for a log. Never holds sent or received text.
    public let description: String

    private init(_ description: StaticString) {
        self.description = "\(description)"
    }

    /// No connection: no network, no such host, refused, or broken off.
    public static let unreachable = Self("The server cannot be reached.")
    /// The time limit passed.
    public static let timedOut = Self("The server did not answer in time.")
    /// The body is longer than the limit.
    public static let tooLarge = Self("The answer is larger than allowed.")
    /// The server's certificate was refused, or it has none: it does not speak TLS.
    public static let untrusted = Self(
        "The server's certificate is not trusted, or it does not speak TLS there."
    )
    /// What was sent or received is not HTTP.
    public static let malformed = Self("The exchange is not well-formed HTTP.")
    /// The calling task was cancelled.
    public static let cancelled = Self("The exchange was cancelled.")
    /// The address is not allowed: it is not https on the usual port, or is not on a public
    /// network.
    package static let refused = Self("The address is not one that may be asked.")
    /// There is no server of that name: the look-up said so.
    package static let noSuchHost = Self("There is no server of that name.")
    /// `localhost`, or a name below it, has the address of another machine.
    package static let elsewhere = Self(
        "The name localhost resolves to another machine. Correct the hosts file, or use 127.0.0.1."
    )
    /// Too many requests, or look-ups of names, are under way. Nothing was sent, and nothing is known
    /// about the server.
    package static let busy = Self("Too many requests to other servers are under way.")
    /// There is no memory for the answer at the moment. The request was sent.
    package static let noRoom = Self("There is no room for the answer at the moment.")
    /// The content type is not the requested one.
    package static let wrongType = Self("The answer has a different type from the requested one.")
}

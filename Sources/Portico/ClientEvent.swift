/// Something that a client did, for a log.
///
/// It consists of literals, numbers and the addresses of servers without their query. It never holds
/// a token, a code, a state or anything of a person.
public enum ClientEvent: Hashable, Sendable {
    /// A server answered a request.
    ///
    /// - Parameters:
    ///   - address: Scheme, host, port and path; for a request of the app's own, without the path.
    ///   - after: The time since the request was begun.
    case answered(method: String, address: String, status: Int, after: Duration)
    /// A request failed.
    case failed(method: String, address: String, SignInError, after: Duration)
    /// A URI was offered as the answer to a pending sign-in and is not: the sign-in keeps waiting.
    case callbackIgnored(SignInError.Check)
}

extension ClientEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .answered(let method, let address, let status, let time):
            "\(method) \(address): \(status) after \(Self.milliseconds(time)) ms"
        case .failed(let method, let address, let error, let time):
            "\(method) \(address): \(error) after \(Self.milliseconds(time)) ms"
        case .callbackIgnored(let check): "A callback was ignored: \(check)"
        }
    }

    private static func milliseconds(_ time: Duration) -> Int64 {
        time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    }
}

/// Tells the app, if it asked for that, what happens on the way to servers.
package struct ClientLog: Sendable {
    let tell: (@Sendable (ClientEvent) -> Void)?

    package static let none = ClientLog(tell: nil)
}

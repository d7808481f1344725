public import HTTPTypes
import PorticoBytes

/// Sends one HTTP request and hands back the whole reply (RFC 9110).
///
/// What every implementation promises, because the checks above it rely on it:
/// - a redirect is a reply like any other and is never followed: following one would carry a code
///   or a token to an address that the provider's metadata does not name (RFC 9700 §4.12);
/// - the server's certificate is checked (RFC 8414 §6.1);
/// - plain http for `localhost` or a name below it goes to a loopback address (RFC 6761 §6.3);
/// - no cookie, no cache and no stored credential takes part;
/// - a reply is given up as soon as it is longer or takes longer than `limits` allows;
/// - cancelling the calling task ends the exchange.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole reply.
    ///
    /// - Parameters:
    ///   - request: With scheme, authority and path.
    ///   - body: Empty for none.
    ///   - limits: How much is read and how long it is waited for.
    /// - Throws: Why there is no reply; a reply with an error status is one.
    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
}

/// How much of a reply is read, and how long it is waited for.
public struct HTTPLimits: Hashable, Sendable {
    /// The longest body, in bytes.
    public var bytes: Int
    /// From the call to the last byte, in seconds.
    public var seconds: Int

    /// - Parameters:
    ///   - bytes: The longest body.
    ///   - seconds: From the call to the last byte.
    public init(bytes: Int, seconds: Int) {
        self.bytes = bytes
        self.seconds = seconds
    }
}

/// The reply to a request, its body complete.
public struct HTTPReply: Sendable {
    /// Status and fields, of whatever status.
    public var response: HTTPResponse
    /// The content, decoded from any transfer coding; empty where there is none.
    public var body: [UInt8]

    /// For a transport of the app's own.
    ///
    /// - Parameters:
    ///   - response: Status and fields.
    ///   - body: The whole content.
    public init(response: HTTPResponse, body: [UInt8]) {
        self.response = response
        self.body = body
    }
}

extension HTTPReply {
    /// The value of a field, where it is bounded as every text of a stranger's is (``ForeignText``).
    package func field(_ name: HTTPField.Name) -> String? {
        response.headerFields[name].flatMap { ForeignText.isBounded($0.utf8) ? $0 : nil }
    }

    /// The media type in lower case, without its parameters (RFC 9110 §8.3.1).
    package var mediaType: String? {
        guard let field = field(.contentType) else { return nil }
        let type = field.prefix { $0 != ";" }
        return type.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// Whether the body says that it is JSON: `application/json` or a `+json` type (RFC 6839 §3.1).
    package var isJSON: Bool {
        guard let type = mediaType else { return false }
        return type == "application/json"
            || type.hasPrefix("application/") && type.hasSuffix("+json")
    }
}

public import HTTPTypes
import PorticoBytes

/// Sends one HTTP request and returns the whole reply (RFC 9110).
///
/// Every implementation must guarantee the following, because security checks rely on it:
/// - a redirect is a reply like any other and is never followed: following one would send a code or
///   a token to an address that the provider's metadata does not name (RFC 9700 §4.12);
/// - the server's certificate is checked (RFC 8414 §6.1);
/// - plain http for `localhost` or a name below it goes to a loopback address (RFC 6761 §6.3);
/// - no cookies, cache or stored credentials are used;
/// - a reply is abandoned as soon as it is longer or takes longer than `limits` allows;
/// - cancelling the calling task ends the exchange.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole reply.
    ///
    /// - Parameters:
    ///   - request: With scheme, authority and path.
    ///   - body: Empty for none.
    ///   - limits: How much to read, and how long to wait.
    /// - Throws: Why there is no reply; a reply with an error status does not throw.
    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
}

/// How much of a reply to read, and how long to wait for it.
public struct HTTPLimits: Hashable, Sendable {
    /// The longest body, in bytes.
    public var bytes: Int
    /// From the call to the last byte, in seconds.
    public var seconds: Int
    /// The person who asks, where people share what their host gets; `nil` for other requests.
    package var person: String?

    /// - Parameters:
    ///   - bytes: The longest body.
    ///   - seconds: From the call to the last byte.
    public init(bytes: Int, seconds: Int) {
        self.bytes = bytes
        self.seconds = seconds
    }
}

/// The reply to a request, with its complete body.
public struct HTTPReply: Sendable {
    /// Status and fields, whatever the status.
    public var response: HTTPResponse
    /// The content, without transfer coding; empty if the reply has none.
    public var body: [UInt8]
    /// Lives as long as the body is needed: what the transport counts it by.
    package var held: (any Sendable)?

    /// A reply made by an app's own transport.
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
    /// The value of a field, if it is bounded like all foreign text (``ForeignText``).
    package func field(_ name: HTTPField.Name) -> String? {
        response.headerFields[name].flatMap { ForeignText.isBounded($0.utf8) ? $0 : nil }
    }

    /// The media type in lower case, without its parameters (RFC 9110 §8.3.1).
    package var mediaType: String? {
        guard let field = field(.contentType) else { return nil }
        let type = field.prefix { $0 != ";" }
        return type.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// Whether the content type is JSON: `application/json` or a `+json` type (RFC 6839 §3.1).
    package var isJSON: Bool {
        guard let type = mediaType else { return false }
        return type == "application/json"
            || type.hasPrefix("application/") && type.hasSuffix("+json")
    }
}

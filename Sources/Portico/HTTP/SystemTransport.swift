#if os(Linux)
    import PorticoOutbound
#else
    import PorticoURLSession
#endif
public import HTTPTypes
public import PorticoProtocol

/// The system's HTTP client, and the default: URLSession, or libcurl on Linux.
///
/// It keeps no cookies, no cache and no credentials, and follows no redirect. On Linux it reads no
/// proxy from the environment.
public struct SystemTransport: HTTPTransport {
    #if os(Linux)
        private let client = OutboundClient()
    #else
        private let client = URLSessionTransport()
    #endif

    /// A client of its own, with its own connections.
    public init() {}

    public func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        try await client.send(request, body: body, limits: limits)
    }
}

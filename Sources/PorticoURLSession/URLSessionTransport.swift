#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif
package import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// An `HTTPTransport` over URLSession, for Apple's systems.
///
/// It is built and tested on Linux, and not used there: URLSession does not read response fields
/// without a space after the colon, keeps reading for a while after a reply was abandoned, and, as
/// of Swift 6.3, ends the process if a connection breaks off in the head of a response or a response
/// has trailers.
package final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges = URLSessionExchanges()
    private let localhost: LocalhostName

    /// A separate session: no cookies, no cache, no stored credentials.
    package convenience init() {
        self.init(localhost: .system)
    }

    package init(localhost: LocalhostName) {
        self.localhost = localhost
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address, let url = Self.url(address) else { throw .malformed }
        // URLSession chooses where to connect, on Linux through libcurl, which resolves these names
        // itself (7.78 and later).
        try await localhost.check(request)
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method.rawValue
        // The limit below ends the exchange; this one must not be shorter.
        outgoing.timeoutInterval = TimeInterval(min(max(limits.seconds, 1), 86_400)) + 60
        for field in request.headerFields {
            outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        if !body.isEmpty { outgoing.httpBody = Data(body) }
        let task = session.dataTask(with: outgoing)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.begin(task, limits: limits) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            exchanges.end(task, with: .failure(.cancelled))
        }
        return try result.get()
    }

    /// The address as written; only where Apple's `URL` does not take `[`, `]` and `|` in a query
    /// (RFC 3986 §3.4), they are percent-encoded, which means the same.
    static func url(_ address: HTTPAddress) -> URL? {
        let plain = address.text.prefix { $0 != "?" }
        let query = address.text.dropFirst(plain.count).replacing("[", with: "%5B")
            .replacing("]", with: "%5D").replacing("|", with: "%7C")
        for text in [address.text, String(plain) + query] {
            if let url = URL(string: text), url.absoluteString == text { return url }
        }
        return nil
    }
}

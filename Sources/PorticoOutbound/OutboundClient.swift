package import HTTPTypes
package import PorticoProtocol

/// ``HTTPTransport`` over libcurl, for programs.
///
/// Holds a pool of connections: make one for the program and end it with ``shutdown()``. It asks hosts
/// that the operator or the app has named; requests beyond the connections wait, in their own time.
package final class OutboundClient: HTTPTransport {
    private let thread: CurlThread
    private let trustedRoots: String?
    private let routes: [String: CurlRoute]
    private let localhost: LocalhostName

    /// - Parameters:
    ///   - trustedRoots: PEM file with the roots to trust instead of the system's.
    ///   - connectTo: Addresses to connect to instead of what DNS says, by host. The certificate is
    ///     still checked for the host.
    ///   - localhost: Says where plain http for `localhost` goes.
    ///   - connections: At one time, an eighth of them to one host.
    package init(
        trustedRoots: String? = nil,
        connectTo: [String: String] = [:],
        localhost: LocalhostName = .system,
        connections: Int = 256
    ) {
        thread = CurlThread(most: (host: max(1, connections / 8), all: connections))
        self.trustedRoots = trustedRoots
        routes = connectTo.mapValues { CurlRoute(to: $0) }
        self.localhost = localhost
    }

    /// Ends the connections; to be called once, after the last reply.
    package func shutdown() async throws {
        // Waited for: the process may end next, and OpenSSL with it.
        await withCheckedContinuation { continuation in
            thread.end { continuation.resume() }
        }
    }

    deinit {
        // A client that was forgotten must not leave connections open.
        thread.end()
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        let request = CurlRequest(
            request,
            to: address,
            body: body,
            limits: limits,
            trustedRoots: trustedRoots,
            isPooled: true
        )
        // libcurl looks no name up that was looked up here.
        let literals = try await localhost.literals(for: address)?.map { CurlRoute(to: $0.host) }
        return try await thread.send(request, by: literals ?? [routes[address.host]])
    }
}

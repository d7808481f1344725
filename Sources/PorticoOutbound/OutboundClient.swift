package import HTTPTypes
package import PorticoProtocol

/// ``HTTPTransport`` over libcurl, for programs.
///
/// Holds a pool of connections: end it with ``shutdown()``. It asks hosts that the operator or the app has
/// named; requests beyond the connections wait, in their own time, unless they have places.
package final class OutboundClient: HTTPTransport {
    private let thread: CurlThread
    private let trustedRoots: String?
    private let routes: [String: CurlRoute]
    private let localhost: LocalhostName
    let places: SharedCapacity?
    let answers: SharedCapacity?

    /// - Parameters:
    ///   - trustedRoots: PEM file with the roots to trust instead of the system's.
    ///   - connectTo: Addresses to connect to instead of what DNS says, by host. The certificate is
    ///     still checked for the host.
    ///   - localhost: Says where plain http for `localhost` goes.
    ///   - connections: At one time, an eighth of them to one host.
    ///   - places: Of the requests under way, which then wait for none; `nil`: as many as come, and
    ///     those beyond the connections wait.
    ///   - answers: Of the bytes of all answers, until they are not needed any more; `nil`: as many as
    ///     come.
    package init(
        trustedRoots: String? = nil,
        connectTo: [String: String] = [:],
        localhost: LocalhostName = .system,
        connections: Int = 256,
        places: SharedCapacity? = nil,
        answers: SharedCapacity? = nil
    ) {
        // Who has a place has a connection.
        let host = places == nil ? max(1, connections / 8) : connections
        thread = CurlThread(most: (host: host, all: connections))
        self.places = places
        self.answers = answers
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
        let server = address.server
        if let places {
            guard places.take(1, for: server, limits.person) else { throw .busy }
        }
        defer { places?.giveBack(1, for: server, limits.person) }
        let request = CurlRequest(
            request,
            to: address,
            body: body,
            limits: limits,
            trustedRoots: trustedRoots,
            isPooled: true,
            answers: answers
        )
        // libcurl looks no name up that was looked up here.
        let literals = try await localhost.literals(for: address)?.map { CurlRoute(to: $0.host) }
        return try await thread.send(request, by: literals ?? [routes[address.host]])
    }
}

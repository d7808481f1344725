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

/// Sends to the hosts that the operator named, each with its port, by the plain client, and to
/// all others by the guarded one.
///
/// Plain http goes only to a named loopback IP literal: there it leaves no machine.
package struct OperatorsExceptions: HTTPTransport {
    private let exceptions: Set<NamedHost>
    private let plain: any HTTPTransport
    private let guarded: any HTTPTransport

    package init(
        _ exceptions: Set<NamedHost>,
        by plain: any HTTPTransport,
        otherwise guarded: any HTTPTransport
    ) {
        self.exceptions = exceptions
        self.plain = plain
        self.guarded = guarded
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        guard exceptions.contains(NamedHost(of: address)),
            address.isSecure || address.isLoopback
        else { return try await guarded.send(request, body: body, limits: limits) }
        return try await plain.send(request, body: body, limits: limits)
    }
}

/// `host:port`, exactly: no pattern, no range, no default port.
package struct NamedHost: Hashable, Sendable {
    /// In lower case; an IPv6 literal with its brackets.
    package let host: String
    package let port: Int

    package init(of address: HTTPAddress) {
        host = address.host
        port = address.port
    }

    /// - Parameter text: `10.0.0.7:8443`, `[::1]:8080`, `app.internal:443`.
    package init?(_ text: String) {
        guard !text.utf8.contains(where: { "/?@".utf8.contains($0) }),
            let address = HTTPAddress("http://" + text),
            address.authority.hasSuffix(":\(address.port)")
        else { return nil }
        self.init(of: address)
    }
}

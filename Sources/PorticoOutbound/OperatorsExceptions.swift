package import HTTPTypes
package import PorticoProtocol

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

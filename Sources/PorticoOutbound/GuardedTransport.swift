package import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOSSL
import PorticoBytes
package import PorticoProtocol

/// ``HTTPTransport`` for addresses that strangers can influence (WEB-SSRF-1).
///
/// https on its own port; the name is resolved once, every address it has must be a public one, and
/// the connection goes to an address that was checked. No redirect is followed and no proxy asked;
/// time, size and, where wanted, type of the reply are limited. There is no switch that admits
/// private addresses.
package final class GuardedTransport: HTTPTransport {
    /// Where to connect for a host instead of what DNS says, so that stand-ins and tests can be
    /// another host's server. Only who wires the program can name one.
    package struct ConnectTarget: Hashable, Sendable {
        package let address: String
        package let port: Int

        package init(address: String, port: Int) {
            self.address = address
            self.port = port
        }
    }

    /// The longest that anybody waits for a stranger, and the most that is read, whatever a caller
    /// asks for.
    private static let longest = HTTPLimits(bytes: 1024 * 1024, seconds: 15)
    /// So many addresses of a host are tried before it counts as not there.
    private static let mostTries = 3

    private let resolver: any AddressResolver
    private let trustedRoots: String?
    private let targets: [String: ConnectTarget]
    private let mediaTypes: Set<String>?
    /// Made when it is needed first: reading the system's roots takes its time.
    private let tls = Locked<NIOSSLContext?>(nil)

    /// - Parameters:
    ///   - mediaTypes: In lower case; a reply's content of another type is refused unread. `nil`:
    ///     any.
    ///   - resolver: Asked once for each request.
    ///   - trustedRoots: PEM file with the roots to trust instead of the system's.
    ///   - targets: Connections by host in lower case. The certificate is still checked for the
    ///     host.
    package init(
        mediaTypes: Set<String>? = nil,
        resolver: any AddressResolver = SystemResolver(),
        trustedRoots: String? = nil,
        connectTo targets: [String: ConnectTarget] = [:]
    ) {
        self.mediaTypes = mediaTypes
        self.resolver = resolver
        self.trustedRoots = trustedRoots
        self.targets = targets
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        guard address.isSecure, address.port == 443 else { throw .refused }
        let limits = Self.granted(limits)
        do {
            return try await withThrowingTaskGroup(of: HTTPReply.self) { group in
                group.addTask { [self] in
                    try await exchange(request, address, body, limit: limits.bytes)
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(limits.seconds))
                    throw HTTPTransportError.timedOut
                }
                defer { group.cancelAll() }
                guard let reply = try await group.next() else { throw CancellationError() }
                return reply
            }
        } catch {
            throw OutboundClient.transportError(error)
        }
    }

    /// What a caller gets of the limits that it asks for.
    package static func granted(_ limits: HTTPLimits) -> HTTPLimits {
        HTTPLimits(
            bytes: min(limits.bytes, longest.bytes),
            seconds: min(max(limits.seconds, 0), longest.seconds)
        )
    }

    private func exchange(
        _ request: HTTPRequest,
        _ address: HTTPAddress,
        _ body: [UInt8],
        limit: Int
    ) async throws -> HTTPReply {
        let host = Self.withoutBrackets(address.host)
        let sockets = try await self.sockets(of: host)
        let exchange = PinnedExchange(
            tls: try context(),
            serverName: Self.isIPAddress(host) ? nil : host,
            head: Self.head(of: request, address, length: body.count),
            body: body,
            limit: limit,
            mediaTypes: mediaTypes
        )
        for socket in sockets.dropLast() {
            do {
                return try await exchange(to: socket)
            } catch is PinnedExchange.NotConnected {
                // The next address may answer.
                try Task.checkCancellation()
            }
        }
        guard let last = sockets.last else { throw HTTPTransportError.unreachable }
        return try await exchange(to: last)
    }

    /// The addresses to connect to, all of them checked.
    private func sockets(of host: String) async throws -> [SocketAddress] {
        if let target = targets[host] {
            return [try SocketAddress(ipAddress: target.address, port: target.port)]
        }
        let addresses = try await resolver.addresses(of: host)
        guard !addresses.isEmpty else { throw HTTPTransportError.unreachable }
        // One that is not public among public ones is no accident: none of them is asked.
        guard !addresses.contains(where: SpecialUseAddress.contains) else {
            throw HTTPTransportError.refused
        }
        return try addresses.prefix(Self.mostTries).map {
            try SocketAddress(packedIPAddress: ByteBuffer(bytes: $0), port: 443)
        }
    }

    private func context() throws -> NIOSSLContext {
        try tls.withLock { made in
            if let made { return made }
            var configuration = TLSConfiguration.makeClientConfiguration()
            if let trustedRoots { configuration.trustRoots = .file(trustedRoots) }
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            let context = try NIOSSLContext(configuration: configuration)
            made = context
            return context
        }
    }

    private static func head(of request: HTTPRequest, _ address: HTTPAddress, length: Int)
        -> HTTPRequestHead
    {
        var headers = HTTPHeaders([("host", address.host), ("connection", "close")])
        for field in request.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if length > 0 || request.method == .post || request.method == .put {
            headers.replaceOrAdd(name: "content-length", value: "\(length)")
        }
        return HTTPRequestHead(
            version: .http1_1,
            method: HTTPMethod(rawValue: request.method.rawValue),
            uri: address.target,
            headers: headers
        )
    }

    private static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    private static func isIPAddress(_ host: String) -> Bool {
        do {
            _ = try SocketAddress(ipAddress: host, port: 0)
            return true
        } catch {
            return false
        }
    }
}

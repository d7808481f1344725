package import HTTPTypes
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
        /// Whether there is plain http behind it, as if a proxy had taken TLS off.
        package let isPlain: Bool

        package init(address: String, port: Int, isPlain: Bool = false) {
            self.address = address
            self.port = port
            self.isPlain = isPlain
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
    private let thread = CurlThread()

    /// - Parameters:
    ///   - mediaTypes: In lower case; a reply's content of another type is refused unread. `nil`:
    ///     any.
    ///   - resolver: Asked once for each request.
    ///   - trustedRoots: PEM file with the roots to trust for those hosts instead of the system's.
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

    /// - Parameter network: Whose names lead to its servers; all others keep the guard.
    package convenience init(mediaTypes: Set<String>? = nil, in network: TestNetwork?) {
        self.init(
            mediaTypes: mediaTypes,
            trustedRoots: network?.authority,
            connectTo: network?.hosts ?? [:]
        )
    }

    deinit {
        thread.end()
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        guard address.isSecure, address.port == 443 else { throw .refused }
        let target = targets[address.host]
        let isPlain = target?.isPlain == true
        let plain = isPlain ? HTTPAddress("http://\(address.host)\(address.target)") : address
        guard let destination = plain else { throw .malformed }
        let limits = Self.granted(limits)
        let request = CurlRequest(
            request,
            to: destination,
            body: body,
            limits: limits,
            trustedRoots: target == nil ? nil : trustedRoots,
            isPooled: false,
            mediaTypes: mediaTypes
        )
        guard let target else {
            let routes = try await routes(of: address.host, before: request.deadline)
            return try await thread.send(request, by: routes)
        }
        return try await thread.send(
            request,
            by: [CurlRoute(to: target.address, port: target.port)]
        )
    }

    /// What a caller gets of the limits that it asks for.
    package static func granted(_ limits: HTTPLimits) -> HTTPLimits {
        HTTPLimits(
            bytes: min(limits.bytes, longest.bytes),
            seconds: min(max(limits.seconds, 0), longest.seconds)
        )
    }

    /// The addresses to connect to, all of them checked.
    private func routes(of host: String, before deadline: ContinuousClock.Instant)
        async throws(HTTPTransportError) -> [CurlRoute]
    {
        let addresses = try await addresses(of: host, before: deadline)
        guard !addresses.isEmpty else { throw .unreachable }
        // One that is not public among public ones is no accident: none of them is asked.
        guard !addresses.contains(where: SpecialUseAddress.contains) else {
            throw .refused
        }
        return addresses.prefix(Self.mostTries).map { CurlRoute(to: $0, port: 443) }
    }

    private func addresses(of host: String, before deadline: ContinuousClock.Instant)
        async throws(HTTPTransportError) -> [[UInt8]]
    {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        do {
            return try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
                group.addTask { [resolver] in try await resolver.addresses(of: name) }
                group.addTask {
                    try await Task.sleep(until: deadline, clock: .continuous)
                    throw HTTPTransportError.timedOut
                }
                defer { group.cancelAll() }
                return try await group.next() ?? []
            }
        } catch let error as HTTPTransportError {
            throw error
        } catch {
            throw error is CancellationError ? .cancelled : .unreachable
        }
    }
}

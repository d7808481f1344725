package import HTTPTypes
package import PorticoProtocol

/// ``HTTPTransport`` for addresses that strangers can influence (WEB-SSRF-1).
///
/// https on its own port; the name is resolved once, every address it has must be a public one, and
/// the connection goes to an address that was checked. No redirect is followed and no proxy asked;
/// time, size and, where wanted, type of the reply are limited. There is no switch that admits
/// private addresses. Each has a resolver and connections of its own: requests that must not wait
/// for others have another one (docs/decisions/0067).
package final class GuardedTransport: StoredBodyTransport {
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
    package static let usual = HTTPLimits(bytes: 1024 * 1024, seconds: 15)
    /// So many addresses of a host are tried before it counts as not there.
    private static let mostTries = 3
    /// The part of the requests under way that one host gets, and of them all that names may be looked
    /// up for.
    private static let part = 8

    let resolver: any AddressResolver
    private let trustedRoots: String?
    private let targets: [String: ConnectTarget]
    private let mediaTypes: Set<String>?
    private let longest: HTTPLimits
    let answers: SharedCapacity?
    private let places: SharedCapacity
    private let latest = LatestAddresses()
    private let thread = CurlThread()

    /// - Parameters:
    ///   - mediaTypes: In lower case; a reply's content of another type is refused unread. `nil`:
    ///     any.
    ///   - longest: More than this no caller gets.
    ///   - answers: Of the bytes of all answers, until they are not needed any more; `nil`: as many
    ///     as come.
    ///   - connections: Requests at one time. Each has a connection of its own, and no more.
    ///   - resolver: Asked once for each request.
    ///   - trustedRoots: PEM file with the roots to trust for those hosts instead of the system's.
    ///   - targets: Connections by host in lower case. The certificate is still checked for the
    ///     host.
    package init(
        mediaTypes: Set<String>? = nil,
        longest: HTTPLimits = usual,
        answers: SharedCapacity? = nil,
        connections: Int = 256,
        resolver: any AddressResolver = SystemResolver(),
        trustedRoots: String? = nil,
        connectTo targets: [String: ConnectTarget] = [:]
    ) {
        self.mediaTypes = mediaTypes
        self.longest = longest
        self.answers = answers
        // 20 of 32, as many calls as an account may have under way.
        places = SharedCapacity(connections, part: Self.part, person: (5, 8))
        self.resolver = resolver
        self.trustedRoots = trustedRoots
        self.targets = targets
    }

    /// - Parameters:
    ///   - connections: Requests at one time; an eighth as many names are looked up.
    ///   - network: Whose names lead to its servers; all others keep the guard.
    package convenience init(
        mediaTypes: Set<String>? = nil,
        longest: HTTPLimits = usual,
        answers: SharedCapacity? = nil,
        connections: Int = 256,
        in network: TestNetwork?
    ) {
        self.init(
            mediaTypes: mediaTypes,
            longest: longest,
            answers: answers,
            connections: connections,
            resolver: SystemResolver(most: max(1, connections / GuardedTransport.part)),
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
        try await send(request, body, stored: nil, limits)
    }

    package func send(_ request: HTTPRequest, stored: any StoredBytes, limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        try await send(request, [], stored: stored, limits)
    }

    private func send(
        _ request: HTTPRequest,
        _ body: [UInt8],
        stored: (any StoredBytes)?,
        _ limits: HTTPLimits
    ) async throws(HTTPTransportError) -> HTTPReply {
        guard let address = request.address else { throw .malformed }
        guard address.isSecure, address.port == 443 else { throw .refused }
        guard places.take(1, for: address.host, limits.person) else { throw .busy }
        defer { places.giveBack(1, for: address.host, limits.person) }
        let target = targets[address.host]
        let isPlain = target?.isPlain == true
        let plain = isPlain ? HTTPAddress("http://\(address.host)\(address.target)") : address
        guard let destination = plain else { throw .malformed }
        let limits = Self.granted(limits, of: longest)
        let request = CurlRequest(
            request,
            to: destination,
            body: body,
            stored: stored,
            limits: limits,
            trustedRoots: target == nil ? nil : trustedRoots,
            isPooled: false,
            mediaTypes: mediaTypes,
            answers: answers
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
    package static func granted(_ limits: HTTPLimits, of longest: HTTPLimits = usual)
        -> HTTPLimits
    {
        var granted = limits
        granted.bytes = min(limits.bytes, longest.bytes)
        granted.seconds = min(max(limits.seconds, 0), longest.seconds)
        return granted
    }

    /// The addresses to connect to, all of them checked.
    private func routes(of host: String, before deadline: ContinuousClock.Instant)
        async throws(HTTPTransportError) -> [CurlRoute]
    {
        let addresses: [[UInt8]]
        do {
            addresses = try await self.addresses(of: host, before: deadline)
            latest.keep(addresses, of: host)
        } catch {
            guard error == .busy, let known = latest.addresses(of: host) else { throw error }
            addresses = known
        }
        guard !addresses.isEmpty else { throw .noSuchHost }
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

package import HTTPTypes
import PorticoBytes
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

/// The addresses that names had lately, for when no more names can be looked up: hosts that are asked
/// all the time must not wait for names that never resolve. They are checked each time.
final class LatestAddresses: Sendable {
    private struct Entry {
        let addresses: [[UInt8]]
        let foundAt: ContinuousClock.Instant
    }

    private static let most = 4096
    /// Of a name; one that has more is looked up each time.
    private static let mostAddresses = 16
    private static let life = Duration.seconds(3600)

    private let entries = Locked<[Hash256: Entry]>([:])

    func keep(_ addresses: [[UInt8]], of name: String) {
        guard 1...Self.mostAddresses ~= addresses.count else { return }
        let key = Hash256(of: name)
        let entry = Entry(addresses: addresses, foundAt: .now)
        entries.withLock { entries in
            // Clearing all at once is coarse but rare.
            if entries.count >= Self.most { entries = [:] }
            entries[key] = entry
        }
    }

    /// - Returns: `nil` if it was not looked up within the hour.
    func addresses(of name: String) -> [[UInt8]]? {
        let key = Hash256(of: name)
        guard let entry = entries.withLock({ $0[key] }),
            ContinuousClock.now - entry.foundAt < Self.life
        else { return nil }
        return entry.addresses
    }
}

/// Which addresses belong to the public internet, and which to a machine, a link, a private network
/// or a protocol (RFC 6890, the IANA registries of special-purpose addresses).
enum SpecialUseAddress {
    /// Whether nothing that a stranger names may lead there.
    ///
    /// - Parameter bytes: Four or sixteen, most significant first; any other number is one too.
    static func contains(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: containsIPv4(bytes)
        case 16: containsIPv6(bytes)
        default: true
        }
    }

    private static func containsIPv4(_ bytes: [UInt8]) -> Bool {
        ipv4.contains { Self.prefix(of: bytes, $0.length) == $0.prefix }
    }

    /// Only what is given out as global unicast is public, and not all of that: what is reserved
    /// later is refused from the start.
    private static func containsIPv6(_ bytes: [UInt8]) -> Bool {
        // NAT64 (RFC 6052 §2.1): the IPv4 address behind it is the one that is asked. It is how a
        // machine without IPv4 reaches the rest of the world.
        if bytes.starts(with: nat64) { return containsIPv4(Array(bytes.suffix(4))) }
        guard bytes[0] & 0xE0 == 0x20 else { return true }
        return ipv6.contains { Self.prefix(of: bytes, $0.length) == $0.prefix }
    }

    private struct Range {
        let prefix: [UInt8]
        let length: Int

        init(_ first: [UInt8], _ length: Int) {
            self.length = length
            prefix = SpecialUseAddress.prefix(of: first, length)
        }
    }

    /// The bytes that `length` bits touch, those behind them cleared.
    private static func prefix(of bytes: [UInt8], _ length: Int) -> [UInt8] {
        (0..<(length + 7) / 8).map { index in
            let kept = min(8, length - index * 8)
            let byte = index < bytes.count ? bytes[index] : 0
            return kept == 8 ? byte : byte & ~(0xFF >> UInt8(kept))
        }
    }

    private static let ipv4 = [
        Range([0], 8),  // this network
        Range([10], 8),  // private use
        Range([100, 64], 10),  // shared address space
        Range([127], 8),  // loopback
        Range([168, 63, 129, 16], 32),  // a cloud's own services, metadata among them
        Range([169, 254], 16),  // link-local, where clouds keep their metadata
        Range([172, 16], 12),  // private use
        Range([192, 0, 0], 24),  // IETF protocol assignments
        Range([192, 0, 2], 24),  // documentation
        Range([192, 31, 196], 24),  // AS112
        Range([192, 52, 193], 24),  // automatic multicast tunnelling
        Range([192, 88, 99], 24),  // 6to4 relays
        Range([192, 168], 16),  // private use
        Range([192, 175, 48], 24),  // AS112
        Range([198, 18], 15),  // benchmarking
        Range([198, 51, 100], 24),  // documentation
        Range([203, 0, 113], 24),  // documentation
        Range([224], 4),  // multicast
        Range([240], 4),  // reserved, and broadcast
    ]

    private static let ipv6 = [
        Range([0x20, 0x01], 23),  // IETF protocol assignments, Teredo and ORCHID among them
        Range([0x20, 0x01, 0x0D, 0xB8], 32),  // documentation
        Range([0x20, 0x02], 16),  // 6to4: an IPv4 address in disguise
        Range([0x26, 0x20, 0x00, 0x4F, 0x80, 0x00], 48),  // AS112
        Range([0x3F, 0xFF], 20),  // documentation
    ]

    private static let nat64: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
}

import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// A request with what libcurl must keep to.
struct CurlRequest: Sendable {
    let address: HTTPAddress
    let method: HTTPRequest.Method
    let fields: HTTPFields
    let body: [UInt8]
    /// The body instead of that one.
    let stored: (any StoredBytes)?
    /// The longest body of the reply, in bytes.
    let limit: Int
    /// Whose it is.
    let person: String?
    /// For the last byte of the reply.
    let deadline: ContinuousClock.Instant
    /// PEM file with the roots to trust instead of the system's.
    let trustedRoots: String?
    /// Whether it may go over a connection of an earlier request, and leave it to a later one.
    let isPooled: Bool
    /// `nil`: any.
    let mediaTypes: Set<String>?
    /// What the answer's bytes are taken from; `nil`: they are not counted.
    let answers: SharedCapacity?

    init(
        _ request: HTTPRequest,
        to address: HTTPAddress,
        body: [UInt8],
        stored: (any StoredBytes)? = nil,
        limits: HTTPLimits,
        trustedRoots: String?,
        isPooled: Bool,
        mediaTypes: Set<String>? = nil,
        answers: SharedCapacity? = nil
    ) {
        self.address = address
        method = request.method
        fields = request.headerFields
        self.body = body
        self.stored = stored
        limit = limits.bytes
        person = limits.person
        // A limit from outside must not overflow the clock.
        let seconds = min(max(limits.seconds, 0), 86_400)
        deadline = .now + .seconds(seconds + (stored?.count ?? 0) / Self.slowest)
        self.trustedRoots = trustedRoots
        self.isPooled = isPooled
        self.mediaTypes = mediaTypes
        self.answers = answers
    }

    /// Bytes a second at which a server takes a stored body on the average, at least.
    static let slowest = 64 * 1024
    /// One that takes fewer bytes a second, for so many seconds, is not waited for.
    static let stalled = (bytes: 4 * 1024, seconds: 30)

    /// The fields as libcurl takes them: its own, which would say something of it, are taken out.
    var fieldLines: [String] {
        var lines = fields.map { field in
            // An empty value would take the field out.
            field.value.isEmpty
                ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)"
        }
        lines += [HTTPField.Name.accept, .contentType].filter { fields[$0] == nil }
            .map { "\($0.rawName):" }
        lines.append("Expect:")
        if !isPooled { lines.append("Connection: close") }
        return lines
    }
}

/// Where a connection goes instead of where the address says, as `CURLOPT_CONNECT_TO` has it. Name and
/// certificate stay those of the address.
struct CurlRoute: Sendable {
    let text: String

    /// - Parameters:
    ///   - address: An IP address; an IPv6 address with or without its brackets.
    ///   - port: `nil`: that of the request.
    init(to address: String, port: Int? = nil) {
        let isBare = address.contains(":") && !address.hasPrefix("[")
        text = "::\(isBare ? "[\(address)]" : address):\(port.map(String.init) ?? "")"
    }

    /// - Parameter bytes: Four or sixteen, most significant first.
    init(to bytes: [UInt8], port: Int) {
        guard bytes.count == 16 else {
            self.init(to: bytes.map(String.init).joined(separator: "."), port: port)
            return
        }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
        }
        self.init(to: groups.joined(separator: ":"), port: port)
    }
}

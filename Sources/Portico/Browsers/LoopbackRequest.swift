import PorticoBytes

/// The head of a request to the loopback receiver (RFC 9112 §3), parsed as far as the receiver
/// needs.
struct LoopbackRequest {
    /// Path and query as received.
    let target: String

    enum Reading {
        /// More bytes are needed.
        case incomplete
        case complete(LoopbackRequest)
        /// To be answered with this status and closed.
        case refused(LoopbackStatus)
    }

    static let longestRequestLine = 8 * 1024
    static let longestHead = 16 * 1024

    /// - Parameters:
    ///   - bytes: The bytes received so far.
    ///   - authority: The literal and port that the Host field must equal.
    static func read(_ bytes: [UInt8], authority: String) -> Reading {
        let lineEnd = endOfLine(in: bytes[...])
        guard (lineEnd ?? bytes.count) <= longestRequestLine else {
            return .refused(.uriTooLong)
        }
        guard let lineEnd, let headEnd = endOfHead(in: bytes) else {
            return bytes.count > longestHead ? .refused(.headTooLarge) : .incomplete
        }
        guard headEnd <= longestHead else { return .refused(.headTooLarge) }
        let parts = bytes[..<lineEnd].split(
            separator: UInt8(ascii: " "),
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, parts[2].starts(with: "HTTP/1.".utf8) else {
            return .refused(.badRequest)
        }
        guard parts[0].elementsEqual("GET".utf8) else { return .refused(.methodNotAllowed) }
        // Another Host means DNS rebinding: a foreign page with a name that now resolves to this
        // machine.
        guard hosts(in: bytes[(lineEnd + 2)..<headEnd]) == [Array(authority.utf8)] else {
            return .refused(.badRequest)
        }
        guard parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy(isTargetCharacter) else {
            return .refused(.badRequest)
        }
        return .complete(LoopbackRequest(target: String(decoding: parts[1], as: UTF8.self)))
    }

    var path: Substring {
        target.prefix { $0 != "?" }
    }

    /// The values of all Host fields.
    private static func hosts(in fields: ArraySlice<UInt8>) -> [[UInt8]] {
        var hosts: [[UInt8]] = []
        var rest = fields
        while let end = endOfLine(in: rest) {
            let line = rest[..<end]
            rest = rest[(end + 2)...]
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                line[..<colon].map({ $0 | 0x20 }).elementsEqual("host".utf8)
            else { continue }
            hosts.append(Array(line[(colon + 1)...].trimming { $0.isBlank }))
        }
        return hosts
    }

    private static func endOfLine(in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let carriageReturn = rest.firstIndex(of: 0x0D) {
            let next = carriageReturn + 1
            guard next < rest.endIndex else { return nil }
            if rest[next] == 0x0A { return carriageReturn }
            rest = rest[next...]
        }
        return nil
    }

    /// The position of the empty line that ends the head.
    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        var rest = bytes[...]
        while let end = endOfLine(in: rest) {
            let next = end + 2
            if bytes[next...].starts(with: [0x0D, 0x0A]) { return next }
            rest = bytes[next...]
        }
        return nil
    }

    private static func isTargetCharacter(_ byte: UInt8) -> Bool {
        byte.isVisible && byte != UInt8(ascii: "#")
    }
}

/// The status codes of the loopback receiver.
enum LoopbackStatus: Int {
    case ok = 200
    case seeOther = 303
    case badRequest = 400
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case uriTooLong = 414
    case headTooLarge = 431

    var reason: String {
        switch self {
        case .ok: "OK"
        case .seeOther: "See Other"
        case .badRequest: "Bad Request"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .uriTooLong: "URI Too Long"
        case .headTooLarge: "Request Header Fields Too Large"
        }
    }
}

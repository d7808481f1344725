import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// The head of a reply, line by line (RFC 9112 §2.1).
struct ReplyHead {
    /// What comes before a reply is no longer than this, interim answers and trailer fields included.
    static let longest = 80 * 1024
    /// Nor has it more lines: the shortest cost as much as long ones.
    static let mostLines = 512

    /// The reply's, once its head is complete. An interim answer is none (RFC 9110 §15.2).
    private(set) var response: HTTPResponse?
    private var pending: HTTPResponse?
    private var size = 0
    private var lines = 0

    /// - Parameter line: With its end.
    /// - Throws: malformed
    mutating func append(_ line: some BidirectionalCollection<UInt8>) throws(HTTPTransportError) {
        size += line.count
        lines += 1
        guard size <= Self.longest, lines <= Self.mostLines else { throw .malformed }
        // What follows are trailer fields, which mean nothing to us.
        guard response == nil else { return }
        let content = line.reversed().drop { $0 == 0x0D || $0 == 0x0A }.reversed()
        let text = String(decoding: content, as: UTF8.self)
        guard pending != nil else {
            pending = try Self.start(text)
            return
        }
        guard text.isEmpty else {
            // In place: a copy would make each line cost as much as all before it.
            pending?.headerFields.append(try Self.field(text))
            return
        }
        if let pending, pending.status.code >= 200 { response = try Self.checked(pending) }
        pending = nil
    }

    /// The length that the reply's content is said to have.
    var announcedLength: Int? {
        response?.headerFields[.contentLength].flatMap(Int.init)
    }

    /// The status line (RFC 9112 §4). A change of protocols that was not asked for is no answer.
    private static func start(_ text: String) throws(HTTPTransportError) -> HTTPResponse {
        let bytes = Array(text.utf8)
        guard bytes.starts(with: "HTTP/1.".utf8), bytes.count >= 12, bytes[8] == 0x20,
            bytes.count == 12 || bytes[12] == 0x20,
            let code = Int(digits: bytes[9..<12], atMost: 3), (100...999).contains(code),
            code != 101
        else { throw .malformed }
        return HTTPResponse(status: .init(code: code))
    }

    private static func field(_ text: String) throws(HTTPTransportError) -> HTTPField {
        // By bytes: a mark behind it would make one character of both.
        guard let colon = text.utf8.firstIndex(of: 0x3A),
            let name = HTTPField.Name(String(text[..<colon]))
        else { throw .malformed }
        return HTTPField(name, received: String(text[text.utf8.index(after: colon)...]))
    }

    /// One length, or chunks, and no other transfer coding: it would be undone, and none was asked
    /// for (RFC 9112 §6.1, §6.3).
    private static func checked(_ response: HTTPResponse) throws(HTTPTransportError)
        -> HTTPResponse
    {
        let lengths = response.headerFields[values: .contentLength].count
        let codings = response.headerFields[values: .transferEncoding]
        guard lengths + codings.count <= 1,
            codings.allSatisfy({ $0.lowercased() == "chunked" })
        else { throw .malformed }
        return response
    }
}

import PorticoBytes

/// What is wrong, and how far from where the input stands.
struct JSONFault: Error {
    let reason: JSONReadError.Reason
    /// Within the value that is next.
    var path = JSONPath()
    /// In bytes.
    var distance = 0

    init(_ error: JSONError) {
        reason = .json(error)
    }

    init(_ refusal: FileBytes.Refusal) {
        reason = .source(refusal)
    }
}

/// The bytes of a source from some place on, as far as they were needed.
struct JSONInput {
    private var source: any ByteSource
    private let chunk: Int
    private var buffer: [UInt8] = []
    private var position = 0
    /// How many bytes stood before the buffer.
    private var before = 0
    private var isAtEnd = false

    init(_ source: any ByteSource, chunk: Int) {
        self.source = source
        self.chunk = chunk
    }

    var offset: Int { before + position }

    /// The next byte; `nil` at the end.
    mutating func peek() throws(JSONFault) -> UInt8? {
        if position == buffer.count { try fill(1) }
        return position < buffer.count ? buffer[position] : nil
    }

    mutating func skip(_ count: Int) {
        position += count
    }

    /// Reads past a byte order mark, if one is next.
    mutating func skipMark() throws(JSONFault) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard try peek() == mark[0] else { return }
        if buffer.count - position < mark.count { try fill(mark.count) }
        if buffer[position...].starts(with: mark) { position += mark.count }
    }

    /// Whether `byte` was next, which is then read.
    mutating func take(_ byte: UInt8) throws(JSONFault) -> Bool {
        guard try peek() == byte else { return false }
        position += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(JSONFault) {
        try skipWhitespace()
        guard try take(byte) else { throw try unexpected() }
    }

    mutating func unexpected() throws(JSONFault) -> JSONFault {
        JSONFault(try peek() == nil ? .unexpectedEnd : .unexpectedByte)
    }

    // RFC 8259 §2
    mutating func skipWhitespace() throws(JSONFault) {
        while let byte = try peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// The whole value that is next.
    ///
    /// It is read out of the buffer. Where it may go on beyond it, the buffer is at least doubled
    /// and the value read again, so that all tries together take as long as two.
    mutating func value(_ limits: JSONLimits) throws(JSONFault) -> JSONValue {
        while true {
            let (result, end, fault) = buffer.withUnsafeBufferPointer { bytes in
                let rest = UnsafeBufferPointer(rebasing: bytes[position...])
                let (result, end) = JSONParser.prefix(of: rest, limits)
                guard case .failure(let error) = result, end < rest.count || isAtEnd else {
                    return (result, end, JSONFault?.none)
                }
                var fault = JSONFault(error)
                fault.path = JSONPath(within: UnsafeBufferPointer(rebasing: rest[..<end]))
                fault.distance = end
                return (result, end, fault)
            }
            guard end <= limits.size else { throw JSONFault(.tooLarge) }
            if let fault { throw fault }
            let mayGoOn = end == buffer.count - position && !isAtEnd
            if case .success(let value) = result, !mayGoOn || !isAtNumber {
                position += end
                return value
            }
            try fill(max(1, end))
        }
    }

    /// Whether the next byte begins a number, whose end only what follows shows.
    private var isAtNumber: Bool {
        position < buffer.count
            && (buffer[position].isDigit || buffer[position] == UInt8(ascii: "-"))
    }

    /// Reads at least that many bytes more, unless the source has fewer.
    private mutating func fill(_ count: Int) throws(JSONFault) {
        buffer.removeSubrange(..<position)
        before += position
        position = 0
        let wanted = buffer.count + max(count, chunk)
        while buffer.count < wanted, !isAtEnd {
            do {
                let bytes = try source.next(upTo: wanted - buffer.count)
                isAtEnd = bytes.isEmpty
                buffer += bytes
            } catch {
                throw JSONFault(error)
            }
        }
    }
}

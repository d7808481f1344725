package import PorticoBytes
package import PorticoProtocol

/// A value bound to a placeholder.
package enum SQLValue: Hashable, Sendable {
    case null
    case text(String)
    case int64(Int64)
    case bytes([UInt8])
    case bool(Bool)
}

extension SQLValue {
    package init(_ text: String?) {
        self = text.map(SQLValue.text) ?? .null
    }

    package init(_ integer: Int64?) {
        self = integer.map(SQLValue.int64) ?? .null
    }

    package init(_ id: UniqueID?) {
        self = id.map { .bytes($0.bytes) } ?? .null
    }

    package init(_ hash: Hash256?) {
        self = hash.map { .bytes($0.bytes) } ?? .null
    }

    /// A document, kept as text.
    package init(_ document: JSONObject) {
        self = .text(String(decoding: document.serialized(), as: UTF8.self))
    }

    /// Words without spaces inside, kept as one text with single spaces between.
    package init(words: [String]) {
        self = .text(words.joined(separator: " "))
    }
}

import PorticoBytes
package import PorticoProtocol

/// The JSON type into which a mapper turns a text.
package enum ClaimType: String, CaseIterable, Hashable, Sendable {
    case text
    case int32
    case int64
    /// Everything but "true" is false.
    case boolean
    case json

    /// The longest text that becomes a claim, in bytes.
    package static let longest = 16 * 1024

    /// - Returns: `nil` where the text is not of the type, or too long.
    package func value(_ text: String) -> JSONValue? {
        let bytes = text.utf8
        guard bytes.count <= Self.longest else { return nil }
        switch self {
        case .text: return .string(text)
        case .int32:
            guard bytes.count <= 32 else { return nil }
            return Int32(text).map { .integer(Int64($0)) }
        case .int64:
            guard bytes.count <= 32 else { return nil }
            return Int64(text).map(JSONValue.integer)
        case .boolean: return .bool(text.isTrue)
        case .json:
            // `try?`: a text that is not JSON has no value, and no one at hand could be told why.
            return try? JSONValue(
                parsing: bytes,
                limits: .foreign(size: Self.longest, depth: ClaimPath.deepest)
            )
        }
    }
}

extension String {
    /// Whether a text is `true`, in any case: every other text is `false`.
    package var isTrue: Bool {
        utf8.count == 4 && utf8.map(\.lowercased).elementsEqual("true".utf8)
    }
}

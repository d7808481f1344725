import PorticoProtocol

/// The JSON type into which a mapper turns a text (Keycloak `jsonType.label`).
enum ClaimType: Hashable, Sendable {
    /// `String`, no label, and every label that is not known.
    case text
    /// `int`
    case int32
    /// `long`
    case int64
    /// `boolean`: everything but "true" is false.
    case boolean
    /// `JSON`
    case json

    /// The longest text that becomes a claim, in bytes.
    static let longest = 16 * 1024

    init(_ label: String?) {
        self =
            switch label {
            case "int": .int32
            case "long": .int64
            case "boolean": .boolean
            case "JSON": .json
            default: .text
            }
    }

    /// - Returns: `nil` where the text is not of the type, or too long. (Keycloak then issues no
    ///   token at all.)
    func value(_ text: String) -> JSONValue? {
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

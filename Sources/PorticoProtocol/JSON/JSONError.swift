/// Why a text is not acceptable JSON (RFC 8259).
package enum JSONError: Error, Hashable, Sendable {
    case tooLarge
    case tooDeep
    case textTooLong
    case tooManyMembers
    case unexpectedEnd
    case unexpectedByte
    case trailingBytes
    case controlCharacter
    case invalidEscape
    case loneSurrogate
    case invalidUTF8
    case numberOutOfRange
    case duplicateName
    case notAnObject
}

extension JSONError: CustomStringConvertible {
    package var description: String { "\(words)" }

    /// A literal, so that it holds nothing of the text.
    package var words: StaticString {
        switch self {
        case .tooLarge: "The JSON text is too large."
        case .tooDeep: "The JSON text is nested too deeply."
        case .textTooLong: "A JSON string is too long."
        case .tooManyMembers: "A JSON object has too many members."
        case .unexpectedEnd: "The JSON text ends too early."
        case .unexpectedByte: "The JSON text has a character where none like it may stand."
        case .trailingBytes: "Something follows the JSON value."
        case .controlCharacter: "A JSON string holds a control character that is not allowed."
        case .invalidEscape: "A JSON string holds an unknown escape."
        case .loneSurrogate: "A JSON string holds half of a surrogate pair."
        case .invalidUTF8: "A JSON string is not UTF-8."
        case .numberOutOfRange: "A JSON number is out of range."
        case .duplicateName: "A JSON object names a member twice."
        case .notAnObject: "The JSON text is not an object."
        }
    }
}

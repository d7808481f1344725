package import PorticoBytes

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

/// Why and where a JSON text cannot be read.
package struct JSONReadError: Error, Hashable, Sendable {
    package let reason: Reason
    package let path: JSONPath
    /// How many bytes of the text stand before that place.
    package let offset: Int

    package enum Reason: Hashable, Sendable {
        case json(JSONError)
        /// The file itself cannot be read.
        case source(FileBytes.Refusal)
    }
}

extension JSONReadError: CustomStringConvertible {
    /// `clients[2].secret, byte 1234: The JSON text ends too early.`
    package var description: String {
        let place = path.steps.isEmpty ? "byte \(offset)" : "\(path), byte \(offset)"
        return "\(place): \(words)"
    }

    /// A literal, so that it holds nothing of the text.
    package var words: StaticString {
        switch reason {
        case .json(let error): error.words
        case .source: "The file cannot be read."
        }
    }
}

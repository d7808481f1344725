/// Why a key or certificate of another server cannot be taken over.
package enum ForeignKeyError: Error, Hashable, Sendable {
    case tooLarge
    case unreadable
    case malformed
    case unknownKind
    case algorithmDoesNotFit
    case halvesDoNotFit
    case weak
}

extension ForeignKeyError: CustomStringConvertible {
    package var description: String { "\(words)" }

    /// A literal, so that it holds nothing of the key.
    package var words: StaticString {
        switch self {
        case .tooLarge: "The text is longer than any key."
        case .unreadable: "The text is neither PEM nor base64."
        case .malformed: "The key or certificate is broken."
        case .unknownKind: "The kind or the curve of the key is not known here."
        case .algorithmDoesNotFit: "The key is not of the kind that the algorithm needs."
        case .halvesDoNotFit: "The private key and the public key or certificate do not fit."
        case .weak: "The key is too small or too large, or not a proper point of its curve."
        }
    }
}

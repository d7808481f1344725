/// Why a key, or a set of keys, cannot be used (RFC 7517 §4, RFC 7518 §6).
package enum JWKError: Error, Hashable, Sendable {
    case notAKey
    case notASet
    case tooManyKeys
    case privateMembers
    case unknownKeyType
    case unknownCurve
    case notForSignatures
    case algorithmDoesNotFit
    case weakKey
    case invalidPoint
    case keyIDTooLong
    case ambiguousKeyID
    case invalidPrivateKey
}

extension JWKError: CustomStringConvertible {
    package var description: String { "\(words)" }

    /// A literal, so that it holds nothing of the key.
    package var words: StaticString {
        switch self {
        case .notAKey: "A member of the key is missing or malformed."
        case .notASet: "The key set is not a JSON object with an array of keys."
        case .tooManyKeys: "The key set has too many keys."
        case .privateMembers: "A public key was expected, but the key has private members."
        case .unknownKeyType: "The type of the key is not known here."
        case .unknownCurve: "The curve of the key is not known here."
        case .notForSignatures: "The key is not meant for verifying signatures."
        case .algorithmDoesNotFit: "The algorithm of the key is unknown or does not fit its type."
        case .weakKey: "The RSA key is too small or too large, or its exponent is not sane."
        case .invalidPoint: "The key is not a proper point of its curve."
        case .keyIDTooLong: "The key id is longer than 256 bytes."
        case .ambiguousKeyID: "Two keys for one algorithm have the same key id."
        case .invalidPrivateKey: "The private key cannot be read."
        }
    }
}

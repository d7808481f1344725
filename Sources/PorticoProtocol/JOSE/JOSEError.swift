/// Why a token is refused (RFC 7515 §5.2, RFC 7519 §7.2).
package enum JOSEError: Error, Hashable, Sendable {
    case tooLarge
    case notCompact
    case jsonSerialization
    case encrypted
    case notBase64URL
    case invalidHeader
    case algorithmMissing
    case algorithmNotAllowed
    case criticalHeader
    case unencodedPayload
    case keyIDTooLong
    case nested
    case typeNotAccepted
    case unknownKey
    case invalidSignature
    case invalidClaims
    case signingFailed
}

extension JOSEError: CustomStringConvertible {
    package var description: String { "\(words)" }

    /// A literal, so that it holds nothing of the token.
    package var words: StaticString {
        switch self {
        case .tooLarge: "The token is too large."
        case .notCompact: "The token is not a JWS in compact serialization."
        case .jsonSerialization: "A JWS in JSON serialization is not accepted."
        case .encrypted: "An encrypted token (JWE) is not accepted."
        case .notBase64URL: "A part of the token is not base64url without padding."
        case .invalidHeader: "The header of the token is not the JSON object it must be."
        case .algorithmMissing: "The header of the token names no algorithm."
        case .algorithmNotAllowed: "The algorithm of the token is not allowed here."
        case .criticalHeader: "The token demands an extension that is not known here (crit)."
        case .unencodedPayload: "A token with an unencoded payload (b64) is not accepted."
        case .keyIDTooLong: "The key id of the token is longer than 256 bytes."
        case .nested: "A token within a token is not accepted."
        case .typeNotAccepted: "The type of the token is not the one expected here."
        case .unknownKey: "No known key fits the token."
        case .invalidSignature: "The signature of the token is wrong."
        case .invalidClaims: "The claims of the token are not the JSON object they must be."
        case .signingFailed: "The token could not be signed."
        }
    }
}

/// Why a seal of Iron's does not open, or cannot be made.
package enum IronError: Error, Hashable, CaseIterable, Sendable {
    case tooLong
    case components
    case prefix
    case expiration
    case expired
    case password
    case mac
    case encoding
    case decryption
    case json
    case passwordID
    case passwordTooShort
    case keyLength
}

extension IronError: CustomStringConvertible {
    package var description: String { "\(words)" }

    /// A literal, so that it holds nothing of the seal. Those that the format's own libraries have
    /// are worded as there.
    package var words: StaticString {
        switch self {
        case .tooLong: "The seal is longer than 8,192 bytes."
        case .components: "Incorrect number of sealed components"
        case .prefix: "Wrong mac prefix"
        case .expiration: "Invalid expiration"
        case .expired: "Expired seal"
        case .password: "Cannot find password"
        case .mac: "Bad hmac value"
        case .encoding: "The seal is not base64url without padding."
        case .decryption: "The sealed text cannot be decrypted."
        case .json: "Failed parsing sealed object JSON"
        case .passwordID: "Invalid password id"
        case .passwordTooShort: "Password string too short (min 32 characters required)"
        case .keyLength: "Key buffer (password) has not 32 bytes"
        }
    }
}

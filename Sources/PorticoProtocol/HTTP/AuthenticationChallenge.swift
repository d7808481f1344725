import HTTPTypes
import PorticoBytes

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
package struct AuthenticationChallenge: Hashable, Sendable {
    /// In lower case.
    package let scheme: String
    /// Names in lower case.
    package var parameters: [String: String] = [:]
    package var token68: String?
}

extension AuthenticationChallenge {
    /// Parses the challenges in a field's value.
    ///
    /// - Returns: An empty list if any part breaks the grammar.
    package static func parse(_ value: String) -> [AuthenticationChallenge] {
        var parser = ChallengeParser(bytes: Array(value.utf8))
        return parser.challenges() ?? []
    }
}

extension HTTPReply {
    /// The challenges of a 401.
    package var challenges: [AuthenticationChallenge] {
        guard response.status.code == 401 else { return [] }
        return response.headerFields[values: .wwwAuthenticate]
            .filter { ForeignText.isBounded($0.utf8) }
            .flatMap(AuthenticationChallenge.parse)
    }
}

private struct ChallengeParser {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses a list in which commas separate challenges as well as the parameters of one.
    mutating func challenges() -> [AuthenticationChallenge]? {
        var challenges: [AuthenticationChallenge] = []
        skipSeparators()
        while position < bytes.count {
            guard let word = word() else { return nil }
            skipSpace()
            if next == UInt8(ascii: "="), let last = challenges.indices.last, !isPadding {
                // The first parameter follows its scheme without a comma.
                guard !challenges[last].parameters.isEmpty, let value = parameterValue() else {
                    return nil
                }
                challenges[last].parameters[word.lowercased()] = value
            } else {
                guard let challenge = challenge(word) else { return nil }
                challenges.append(challenge)
            }
            guard endOfElement() else { return nil }
        }
        return challenges
    }

    /// Parses what follows a scheme: nothing, its first parameter, or a token.
    private mutating func challenge(_ scheme: String) -> AuthenticationChallenge? {
        var challenge = AuthenticationChallenge(scheme: scheme.lowercased())
        guard position < bytes.count, next != UInt8(ascii: ",") else { return challenge }
        // Without the space, it was not a scheme.
        guard position > 0, bytes[position - 1].isBlank else { return nil }
        let start = position
        if let name = word() {
            skipSpace()
            if next == UInt8(ascii: "="), !isPadding {
                guard let value = parameterValue() else { return nil }
                challenge.parameters[name.lowercased()] = value
                return challenge
            }
        }
        position = start
        guard let token = token68() else { return nil }
        challenge.token68 = token
        return challenge
    }

    /// Whether the next equals sign is the padding of a token: the element ends after it.
    private var isPadding: Bool {
        var index = position
        while index < bytes.count, bytes[index] == UInt8(ascii: "=") { index += 1 }
        while index < bytes.count, bytes[index].isBlank { index += 1 }
        return index >= bytes.count || bytes[index] == UInt8(ascii: ",")
    }

    private mutating func parameterValue() -> String? {
        position += 1
        skipSpace()
        return next == UInt8(ascii: "\"") ? quotedText() : word()
    }

    private mutating func quotedText() -> String? {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { return nil }
                byte = bytes[position]
                position += 1
            }
            text.append(byte)
        }
        return nil
    }

    private mutating func word() -> String? {
        take(while: Self.isTokenCharacter)
    }

    private mutating func token68() -> String? {
        guard let token = take(while: Self.isToken68Character) else { return nil }
        let padding = take { $0 == UInt8(ascii: "=") } ?? ""
        return token + padding
    }

    private mutating func take(while isIn: (UInt8) -> Bool) -> String? {
        let start = position
        while position < bytes.count, isIn(bytes[position]) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private mutating func endOfElement() -> Bool {
        skipSpace()
        guard position < bytes.count else { return true }
        guard next == UInt8(ascii: ",") else { return false }
        skipSeparators()
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isBlank { position += 1 }
    }

    private mutating func skipSeparators() {
        while position < bytes.count, bytes[position].isBlank || next == UInt8(ascii: ",") {
            position += 1
        }
    }

    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func isToken68Character(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-._~+/".utf8.contains(byte)
    }
}

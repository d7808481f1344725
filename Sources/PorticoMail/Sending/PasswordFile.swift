package import PorticoBytes

/// A password in a file that only its owner may read.
package enum PasswordFile {
    package enum Refusal: Error, Hashable, Sendable {
        case missing
        case notAFile
        /// Other users may read or write it, or it belongs to another user.
        case exposed
        /// Not one line of UTF-8, or far too long.
        case malformed
    }

    /// - Returns: The file's text without the final line end.
    package static func read(_ path: String) throws(Refusal) -> SecretText {
        let bytes: [UInt8]
        do {
            bytes = try OwnerOnlyFile.read(path, from: .administrator, limit: 4096)
        } catch {
            switch error {
            case .notAFile: throw .notAFile
            case .exposed: throw .exposed
            case .tooLong: throw .malformed
            case .missing, .alreadyExists, .system: throw .missing
            }
        }
        guard var text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        if text.last == "\r\n" || text.last == "\n" { text.removeLast() }
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
            throw .malformed
        }
        return SecretText(text)
    }
}

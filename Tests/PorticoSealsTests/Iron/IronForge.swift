import Crypto
import CryptoExtras
import Foundation
import PorticoBytes

@testable import PorticoSeals

/// Makes seals that ``Iron`` never would, with a right code: so a row of a table differs from a right
/// seal by one thing.
struct IronForge {
    static let password = "a password of our own, long enough for two"
    static let now: Int64 = 1_800_000_000_000

    var prefix = "Fe26.2"
    var id = "1"
    var password = Self.password
    var salts = [String(repeating: "0a", count: 32), String(repeating: "0b", count: 32)]
    var vector = Array(0..<16) as [UInt8]
    var plaintext = #"{"a":1}"#
    var expiration = ""
    /// In place of the text of IV and ciphertext.
    var encoded: (vector: String?, ciphertext: String?) = (nil, nil)
    var code: String?

    static func passwords(_ ids: [String] = ["1"]) throws -> IronPasswords {
        try IronPasswords(ids.map { ($0, .text(SecretText(password))) })
    }

    func seal() throws -> String {
        let ciphertext = try AES._CBC.encrypt(
            Data(plaintext.utf8),
            using: key(salts[0]),
            iv: AES._CBC.IV(ivBytes: vector)
        )
        let base = [
            prefix, id, salts[0], encoded.vector ?? Base64URL.encode(vector),
            encoded.ciphertext ?? Base64URL.encode(ciphertext), expiration,
        ].joined(separator: "*")
        let right = HMAC<SHA256>.authenticationCode(for: Data(base.utf8), using: try key(salts[1]))
        return [base, salts[1], code ?? Base64URL.encode(right)].joined(separator: "*")
    }

    /// By the library's PBKDF2, to compare with.
    private func key(_ salt: String) throws -> SymmetricKey {
        try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8),
            salt: Array(salt.utf8),
            using: .insecureSHA1,
            outputByteCount: 32,
            unsafeUncheckedRounds: 1
        )
    }

    /// With one change.
    static func seal(_ change: (inout IronForge) -> Void = { _ in }) throws -> String {
        var forge = IronForge()
        change(&forge)
        return try forge.seal()
    }
}

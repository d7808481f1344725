import Crypto
import CryptoExtras
import PorticoBytes

/// A hash made by PBKDF2 with HMAC (RFC 8018 §5.2): `$pbkdf2-sha256$i=27500,l=64$salt$hash`.
///
/// The length is that of the value: old servers derived 64 bytes with SHA-256, too.
package struct PBKDF2Hash: Hashable, Sendable {
    package var digest: Digest
    package var iterations: UInt32
    package var salt: [UInt8]
    package var value: [UInt8]

    package enum Digest: String, CaseIterable, Sendable {
        case sha1 = "pbkdf2"
        case sha256 = "pbkdf2-sha256"
        case sha512 = "pbkdf2-sha512"

        fileprivate var function: KDF.Insecure.PBKDF2.HashFunction {
            switch self {
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }

        /// In bytes.
        fileprivate var length: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// How many iterations take as long as one of our own hashes, about 20 ms.
        fileprivate var iterationsAPlace: Int {
            switch self {
            case .sha1, .sha256: 100_000
            case .sha512: 40_000
            }
        }
    }

    package init(digest: Digest, iterations: UInt32, salt: [UInt8], value: [UInt8]) {
        self.digest = digest
        self.iterations = iterations
        self.salt = salt
        self.value = value
    }

    /// - Parameter parts: What stands between the dollar signs.
    init?(_ parts: ArraySlice<Substring>) {
        let parts = Array(parts)
        guard parts.count == 4, let digest = Digest(wire: String(parts[0])),
            let numbers = StoredHash.numbers(["i", "l"], in: parts[1]),
            let salt = StoredHash.bytes(parts[2]), let value = StoredHash.bytes(parts[3])
        else { return nil }
        self.init(digest: digest, iterations: numbers[0], salt: salt, value: value)
    }

    var text: String {
        "$\(digest.rawValue)$i=\(iterations),l=\(value.count)"
            + "$\(StoredHash.text(salt))$\(StoredHash.text(value))"
    }

    /// Iterations over all blocks of the value, each of which is derived by itself.
    private var work: Int {
        Int(iterations) * ((value.count + digest.length - 1) / digest.length)
    }

    /// Ten million iterations at most over all blocks: about two seconds, and nearly twice
    /// Keycloak's most expensive default (1,300,000 of SHA-1 for 64 bytes).
    var outOfBounds: StoredHash.Part? {
        if !StoredHash.saltLengths.contains(salt.count) { return .salt }
        if !StoredHash.valueLengths.contains(value.count) { return .value }
        if iterations == 0 || work > 10_000_000 { return .rounds }
        return nil
    }

    var cost: Int { max(1, work / digest.iterationsAPlace) }

    func matches(_ password: [UInt8]) -> Bool {
        // `try?`: it fails only without memory, and then nothing matches.
        let derived = try? KDF.Insecure.PBKDF2.deriveKey(
            // The library does not expect an empty key; HMAC fills one up with zeros.
            from: password.isEmpty ? [0] : password,
            salt: salt,
            using: digest.function,
            outputByteCount: value.count,
            unsafeUncheckedRounds: Int(iterations)
        )
        return derived?.withUnsafeBytes { ConstantTime.equal(Array($0), value) } ?? false
    }
}

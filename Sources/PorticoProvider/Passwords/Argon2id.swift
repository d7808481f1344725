import CArgon2
package import PorticoBytes
package import PorticoStores

/// Argon2id with the reference library (RFC 9106), 19 MiB, two passes and one lane
/// (docs/decisions/0037).
///
/// Every call takes about 20 ms of a core and 19 MiB: call it in ``PasswordHashing``'s pool.
package enum Argon2id {
    static let memoryKiB: UInt32 = 19 * 1024
    static let passes: UInt32 = 2
    static let lanes: UInt32 = 1
    private static let saltLength = 16
    private static let hashLength = 32

    /// The C library refused its arguments or had no memory.
    package struct Failure: Error {
        package let code: Int32
    }

    /// - Parameter password: The bytes of a password normalised by ``PasswordText``.
    package static func hash(_ password: [UInt8], random: RandomSource) throws -> PasswordHash {
        let salt = random.bytes(saltLength)
        let length = argon2_encodedlen(
            passes,
            memoryKiB,
            lanes,
            UInt32(saltLength),
            UInt32(hashLength),
            Argon2_id
        )
        var encoded = [CChar](repeating: 0, count: length)
        let code = argon2id_hash_encoded(
            passes,
            memoryKiB,
            lanes,
            password,
            password.count,
            salt,
            salt.count,
            hashLength,
            &encoded,
            encoded.count
        )
        guard code == ARGON2_OK.rawValue else { throw Failure(code: code) }
        let text = encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return PasswordHash(encoded: String(decoding: text, as: UTF8.self))
    }

    /// A hash that looks like any other but was not made from a password: checking against it takes
    /// as long as usual, and making it takes no time.
    static func hashOfNothing(random: RandomSource) -> PasswordHash {
        let parts = [random.bytes(saltLength), random.bytes(hashLength)].map { bytes in
            // The library writes base64 without padding (RFC 4648 §4).
            String(
                Base64URL.encode(bytes).map { character in
                    switch character {
                    case "-": "+"
                    case "_": "/"
                    default: character
                    }
                }
            )
        }
        return PasswordHash(
            encoded: "$argon2id$v=\(ARGON2_VERSION_NUMBER.rawValue)"
                + "$m=\(memoryKiB),t=\(passes),p=\(lanes)$\(parts[0])$\(parts[1])"
        )
    }

    /// Whether `hash` was made from `password`. Compares in constant time; a text that is not an
    /// Argon2id hash, or requires more than 1 GiB, matches no password.
    package static func verify(_ password: [UInt8], against hash: PasswordHash) -> Bool {
        guard let parameters = parameters(of: hash), parameters.memoryKiB <= 1 << 20,
            parameters.passes <= 64
        else { return false }
        return argon2id_verify(hash.encoded, password, password.count) == ARGON2_OK.rawValue
    }

    /// Whether a hash is weaker than the current setting, and so must be replaced at the next
    /// sign-in.
    package static func isOutdated(_ hash: PasswordHash) -> Bool {
        guard let parameters = parameters(of: hash) else { return true }
        return parameters.memoryKiB < memoryKiB || parameters.passes < passes
    }

    /// Memory and passes of `$argon2id$v=19$m=…,t=…,p=…$…`.
    private static func parameters(of hash: PasswordHash) -> (memoryKiB: UInt32, passes: UInt32)? {
        let parts = hash.encoded.split(separator: "$")
        guard parts.count == 5, parts[0] == "argon2id" else { return nil }
        let numbers = parts[2].split(separator: ",").map { UInt32($0.dropFirst(2)) }
        guard numbers.count == 3, let memory = numbers[0], let passes = numbers[1] else {
            return nil
        }
        return (memory, passes)
    }
}

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
        var hash = setting(salt: random.bytes(saltLength))
        hash.value = try hash.derived(from: password)
        return StoredHash.argon2(hash).encoded
    }

    /// A hash that looks like any other but was not made from a password: checking against it takes
    /// as long as usual, and making it takes no time.
    static func hashOfNothing(random: RandomSource) -> StoredHash {
        var hash = setting(salt: random.bytes(saltLength))
        hash.value = random.bytes(hashLength)
        return .argon2(hash)
    }

    private static func setting(salt: [UInt8]) -> Argon2Hash {
        Argon2Hash(
            kind: .id,
            version: .v13,
            memoryKiB: memoryKiB,
            passes: passes,
            lanes: lanes,
            salt: salt,
            value: [UInt8](repeating: 0, count: hashLength)
        )
    }

    /// Whether a hash was not made with the current setting, or by another server, and so must be
    /// replaced at the next sign-in.
    package static func isOutdated(_ hash: PasswordHash) -> Bool {
        guard case .argon2(let stored) = StoredHash(hash), stored.salt.count == saltLength else {
            return true
        }
        var current = setting(salt: stored.salt)
        guard stored.value.count == current.value.count else { return true }
        current.value = stored.value
        return stored != current
    }
}

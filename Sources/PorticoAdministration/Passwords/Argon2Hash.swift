import CArgon2
package import PorticoBytes
package import PorticoStores

/// A hash made by Argon2 (RFC 9106): `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
package struct Argon2Hash: Hashable, Sendable {
    package var kind: Kind
    package var version: Version
    package var memoryKiB: UInt32
    package var passes: UInt32
    package var lanes: UInt32
    package var salt: [UInt8]
    package var value: [UInt8]

    package enum Kind: String, CaseIterable, Sendable {
        case d = "argon2d"
        case i = "argon2i"
        case id = "argon2id"

        fileprivate var type: argon2_type {
            switch self {
            case .d: Argon2_d
            case .i: Argon2_i
            case .id: Argon2_id
            }
        }
    }

    package enum Version: UInt32, CaseIterable, Sendable {
        /// 1.0, from before RFC 9106.
        case v10 = 16
        /// 1.3
        case v13 = 19
    }

    package init(
        kind: Kind,
        version: Version,
        memoryKiB: UInt32,
        passes: UInt32,
        lanes: UInt32,
        salt: [UInt8],
        value: [UInt8]
    ) {
        self.kind = kind
        self.version = version
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.salt = salt
        self.value = value
    }

    /// - Parameter parts: What stands between the dollar signs.
    init?(_ parts: ArraySlice<Substring>) {
        let parts = Array(parts)
        guard parts.count == 5, let kind = Kind(wire: String(parts[0])),
            let version = StoredHash.numbers(["v"], in: parts[1])?.first.flatMap(Version.init),
            let numbers = StoredHash.numbers(["m", "t", "p"], in: parts[2]),
            let salt = StoredHash.bytes(parts[3]), let value = StoredHash.bytes(parts[4])
        else { return nil }
        self.init(
            kind: kind,
            version: version,
            memoryKiB: numbers[0],
            passes: numbers[1],
            lanes: numbers[2],
            salt: salt,
            value: value
        )
    }

    var text: String {
        "$\(kind.rawValue)$v=\(version.rawValue)$m=\(memoryKiB),t=\(passes),p=\(lanes)"
            + "$\(StoredHash.text(salt))$\(StoredHash.text(value))"
    }

    /// Written to memory over all passes, in KiB.
    private var work: Int { Int(memoryKiB) * Int(passes) }

    /// 256 MiB at most, and 2 GiB over all passes: about a second.
    var outOfBounds: StoredHash.Part? {
        if !StoredHash.saltLengths.contains(salt.count) { return .salt }
        if !StoredHash.valueLengths.contains(value.count) { return .value }
        if !(1...16).contains(lanes) { return .lanes }
        if !(8 * lanes...256 * 1024).contains(memoryKiB) { return .memory }
        if passes == 0 || work > 2 * 1024 * 1024 { return .rounds }
        return nil
    }

    var cost: Int {
        max(1, work / (Int(Argon2id.memoryKiB) * Int(Argon2id.passes)))
    }

    func matches(_ password: [UInt8]) -> Bool {
        // `try?`: without memory for it, nothing matches.
        guard let derived = try? derived(from: password) else { return false }
        return ConstantTime.equal(derived, value)
    }

    /// What ``value`` is for that password, in its length.
    func derived(from password: [UInt8]) throws(Argon2id.Failure) -> [UInt8] {
        var password = password
        var salt = salt
        var derived = [UInt8](repeating: 0, count: value.count)
        let code = derived.withUnsafeMutableBufferPointer { derived in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    var context = argon2_context()
                    context.out = derived.baseAddress
                    context.outlen = UInt32(derived.count)
                    context.pwd = password.baseAddress
                    context.pwdlen = UInt32(password.count)
                    context.salt = salt.baseAddress
                    context.saltlen = UInt32(salt.count)
                    context.t_cost = passes
                    context.m_cost = memoryKiB
                    context.lanes = lanes
                    // The pool's own: lanes are computed one after another.
                    context.threads = 1
                    context.version = version.rawValue
                    return argon2_ctx(&context, kind.type)
                }
            }
        }
        guard code == ARGON2_OK.rawValue else { throw Argon2id.Failure(code: code) }
        return derived
    }
}

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

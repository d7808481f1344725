import PorticoBytes
package import PorticoStores

/// A password's hash taken apart, within bounds on what it may cost to verify: ours, or one that
/// another server made.
///
/// Verifying takes from 20 ms to two seconds of a core: call it in ``PasswordHashing``'s pool.
package enum StoredHash: Hashable, Sendable {
    case argon2(Argon2Hash)
    case pbkdf2(PBKDF2Hash)

    /// The parts of a hash, by the names that its text gives them.
    package enum Part: Sendable {
        case salt
        case value
        /// PBKDF2's iterations or Argon2's passes, or what they amount to with the rest.
        case rounds
        case memory
        case lanes
    }

    /// Lengths in bytes that all kinds have in common.
    static let saltLengths = 8...128
    static let valueLengths = 16...128

    /// - Returns: `nil` if the text is of no known kind, not spelled as ``encoded`` spells it, or
    ///   out of bounds.
    package init?(_ hash: PasswordHash) {
        guard hash.encoded.utf8.count <= 1024 else { return nil }
        let parts = hash.encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.first == "" else { return nil }
        if let argon2 = Argon2Hash(parts.dropFirst()) {
            self = .argon2(argon2)
        } else if let pbkdf2 = PBKDF2Hash(parts.dropFirst()) {
            self = .pbkdf2(pbkdf2)
        } else {
            return nil
        }
        guard outOfBounds == nil, sameBytes(encoded.encoded, hash.encoded) else { return nil }
    }

    /// The hash as it is kept, base64 without padding (the PHC string format).
    package var encoded: PasswordHash {
        switch self {
        case .argon2(let hash): PasswordHash(encoded: hash.text)
        case .pbkdf2(let hash): PasswordHash(encoded: hash.text)
        }
    }

    /// The part because of which the hash is refused, if any.
    package var outOfBounds: Part? {
        switch self {
        case .argon2(let hash): hash.outOfBounds
        case .pbkdf2(let hash): hash.outOfBounds
        }
    }

    /// How many of our own hashes take as long, at least one.
    package var cost: Int {
        switch self {
        case .argon2(let hash): hash.cost
        case .pbkdf2(let hash): hash.cost
        }
    }

    /// Whether the hash was made from the password. Compares in constant time.
    package func matches(_ password: [UInt8]) -> Bool {
        switch self {
        case .argon2(let hash): hash.matches(password)
        case .pbkdf2(let hash): hash.matches(password)
        }
    }

    /// The same for a hash as it is kept; one that cannot be read matches no password.
    package static func verify(_ password: [UInt8], against hash: PasswordHash) -> Bool {
        StoredHash(hash)?.matches(password) ?? false
    }

    /// - Parameter text: `name=number` for each name, with commas between them.
    static func numbers(_ names: [String], in text: Substring) -> [UInt32]? {
        let members = text.split(separator: ",", omittingEmptySubsequences: false)
        guard members.count == names.count else { return nil }
        let numbers = zip(names, members).compactMap { name, member in
            member.hasPrefix("\(name)=") ? UInt32(member.dropFirst(name.count + 1)) : nil
        }
        return numbers.count == names.count ? numbers : nil
    }

    static func bytes(_ text: Substring) -> [UInt8]? {
        Base64.decode(text.utf8, padded: false)
    }

    static func text(_ bytes: [UInt8]) -> String {
        Base64.encode(bytes, padded: false)
    }
}

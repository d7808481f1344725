import Crypto
import PorticoBytes

/// The tokens that one key signed recently: verifying a token at its own issuer then costs a hash
/// instead of a computation on a curve.
///
/// A token is added whole, with its signature, and only after this key made or verified that
/// signature, so the answer is the same as that of the check itself. The cache belongs to its key
/// and is discarded with it.
final class RecentSignatures: Sendable {
    /// The tokens in one of the two generations, of about 60 bytes each.
    static let capacity = 4096

    private let digests = Locked(TwoGenerations<SHA256.Digest, Void>(capacity: capacity))

    /// How many tokens are stored.
    var count: Int { digests.withLock { $0.count } }

    /// - Parameter token: In compact serialization, all three parts (RFC 7515 §7.1).
    func contains(_ token: [UInt8]) -> Bool {
        let digest = SHA256.digest(of: token[...])
        return digests.withLock { $0[digest] != nil }
    }

    func insert(_ token: [UInt8]) {
        let digest = SHA256.digest(of: token[...])
        digests.withLock { $0.insert((), for: digest) }
    }
}

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

    private struct Generations {
        var young: Set<SHA256.Digest> = []
        var old: Set<SHA256.Digest> = []
    }

    private let generations = Locked(Generations())

    /// How many tokens are stored.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }

    /// - Parameter token: In compact serialization, all three parts (RFC 7515 §7.1).
    func contains(_ token: [UInt8]) -> Bool {
        let digest = SHA256.hash(data: token)
        return generations.withLock { $0.young.contains(digest) || $0.old.contains(digest) }
    }

    func insert(_ token: [UInt8]) {
        let digest = SHA256.hash(data: token)
        generations.withLock { generations in
            if generations.young.count >= Self.capacity {
                generations.old = generations.young
                generations.young = []
            }
            generations.young.insert(digest)
        }
    }
}

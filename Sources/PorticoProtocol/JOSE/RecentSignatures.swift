import Crypto
import PorticoBytes

/// The tokens that one key signed lately: one that comes back to its own issuer costs a hash then,
/// not a computation on a curve.
///
/// A token is in it whole, its signature with it, and only once this very key made that signature
/// or found it right, so it says nothing that the check itself would not say. It belongs to its key
/// and is gone with it.
final class RecentSignatures: Sendable {
    /// How many tokens a generation holds; there are two, of about 60 bytes a token.
    static let capacity = 4096

    private struct Generations {
        var young: Set<SHA256.Digest> = []
        var old: Set<SHA256.Digest> = []
    }

    private let generations = Locked(Generations())

    /// How many tokens it holds.
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

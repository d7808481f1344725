import PorticoBytes
import PorticoProtocol
import PorticoSeals

/// Seals that opened lately: the format's cipher costs more than the rest of a session check.
///
/// A seal is added only after it opened, under the hash of its whole text, so the answer is that of
/// opening it again.
final class OpenedSeals: Sendable {
    /// In one of the two generations; an entry is a few hundred bytes.
    private let capacity: Int

    private struct Generations {
        var young: [Hash256: Iron.Opened] = [:]
        var old: [Hash256: Iron.Opened] = [:]
    }

    private let generations = Locked(Generations())

    init(capacity: Int = 4096) {
        self.capacity = max(1, capacity)
    }

    /// How many are remembered.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }

    /// What a seal holds.
    ///
    /// - Parameters:
    ///   - milliseconds: Since 1970.
    ///   - open: Opens it, where it is not remembered or has expired.
    func object(
        in text: String,
        at milliseconds: Int64,
        _ open: () throws(IronError) -> Iron.Opened
    ) throws(IronError) -> JSONObject {
        let key = Hash256(of: text)
        let known = generations.withLock { $0.young[key] ?? $0.old[key] }
        if let known, known.expiresAt.map({ $0 > milliseconds }) ?? true { return known.object }
        let opened = try open()
        generations.withLock { generations in
            if generations.young.count >= capacity {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[key] = opened
        }
        return opened.object
    }
}

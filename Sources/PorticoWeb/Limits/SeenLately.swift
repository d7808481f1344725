import PorticoBytes

/// Remembers recent keys: for what must not happen twice in a few minutes, in addition to a lasting
/// rule in the database.
///
/// It has two generations: a full young one becomes the old one, and the old one is dropped. So at
/// least the last `capacity` keys are known, in at most 64 bytes for each of twice as many. It is
/// per process and in memory.
package final class SeenLately: Sendable {
    private struct Generations: Sendable {
        var young: Set<LimitKey> = []
        var old: Set<LimitKey> = []
    }

    private let capacity: Int
    private let generations = Locked(Generations())

    package init(capacity: Int = 16_384) {
        self.capacity = max(1, capacity)
    }

    /// Records a key.
    ///
    /// - Returns: Whether it is new, as far as is known.
    package func isFirst(_ key: LimitKey) -> Bool {
        generations.withLock { generations in
            guard !generations.young.contains(key), !generations.old.contains(key) else {
                return false
            }
            if generations.young.count >= capacity {
                generations.old = generations.young
                generations.young = []
            }
            generations.young.insert(key)
            return true
        }
    }
}

/// Remembers recent keys: for what must not happen twice in a few minutes, in addition to a lasting
/// rule in the database.
///
/// It has two generations: a full young one becomes the old one, and the old one is dropped. So at
/// least the last `capacity` keys are known, twice as many at most. It is per process and in
/// memory. Keys are hashes: of one size, whatever they were made from.
package final class SeenLately<Key: Hashable & Sendable>: Sendable {
    private struct Generations: Sendable {
        var young: Set<Key> = []
        var old: Set<Key> = []
    }

    private let capacity: Int
    private let generations = Locked(Generations())

    package init(capacity: Int = 16_384) {
        self.capacity = max(1, capacity)
    }

    /// Whether a key was recorded, as far as is known. Records nothing.
    package func has(_ key: Key) -> Bool {
        generations.withLock { $0.young.contains(key) || $0.old.contains(key) }
    }

    /// Records a key.
    ///
    /// - Returns: Whether it is new, as far as is known.
    package func isFirst(_ key: Key) -> Bool {
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

    /// Takes a key back: what it stands for has not happened.
    package func forget(_ key: Key) {
        generations.withLock { generations in
            generations.young.remove(key)
            generations.old.remove(key)
        }
    }
}

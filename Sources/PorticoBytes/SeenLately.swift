/// Remembers recent keys: for what must not happen twice in a few minutes, in addition to a lasting
/// rule in the database.
///
/// It is bounded (``TwoGenerations``), per process and in memory. Keys are hashes: of one size,
/// whatever they were made from.
package final class SeenLately<Key: Hashable & Sendable>: Sendable {
    @usableFromInline let keys: Locked<TwoGenerations<Key, Void>>

    package init(capacity: Int = 16_384) {
        keys = Locked(TwoGenerations(capacity: capacity))
    }

    /// Whether a key was recorded, as far as is known. Records nothing.
    @inlinable package func has(_ key: Key) -> Bool {
        keys.withLock { $0[key] != nil }
    }

    /// Records a key.
    ///
    /// - Returns: Whether it is new, as far as is known.
    @inlinable package func isFirst(_ key: Key) -> Bool {
        keys.withLock { keys in
            guard keys[key] == nil else { return false }
            keys.insert((), for: key)
            return true
        }
    }

    /// Takes a key back: what it stands for has not happened.
    @inlinable package func forget(_ key: Key) {
        keys.withLock { $0.remove(key) }
    }
}

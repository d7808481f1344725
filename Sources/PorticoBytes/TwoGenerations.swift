/// Values of recent keys, bounded in number: a full young generation becomes the old one, and the old
/// one is dropped. So at least the last `capacity` keys are known, twice as many at most.
///
/// Keys and values should have a size of their own, whatever they were made from.
package struct TwoGenerations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let capacity: Int
    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var old: [Key: Value] = [:]

    @inlinable package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    @inlinable package var count: Int { young.count + old.count }

    @inlinable package subscript(key: Key) -> Value? { young[key] ?? old[key] }

    @inlinable package mutating func insert(_ value: Value, for key: Key) {
        if young.count >= capacity {
            old = young
            young = [:]
        }
        young[key] = value
    }

    @inlinable package mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }
}

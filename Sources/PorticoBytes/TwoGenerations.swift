/// Values of recent keys, bounded in weight: a full young generation becomes the old one, and the old one
/// is dropped. So at least the last `capacity` of weight is known, twice as much at most.
///
/// What is remembered for strangers is weighed in bytes. Without a weight an entry counts one: then keys
/// and values should have a size of their own, whatever they were made from.
package struct TwoGenerations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let capacity: Int
    @usableFromInline let weight: @Sendable (Value) -> Int
    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var youngWeight = 0
    @usableFromInline var old: [Key: Value] = [:]

    @inlinable package init(
        capacity: Int,
        weight: @escaping @Sendable (Value) -> Int = { _ in 1 }
    ) {
        self.capacity = max(1, capacity)
        self.weight = weight
    }

    @inlinable package var count: Int { young.count + old.count }

    @inlinable package subscript(key: Key) -> Value? { young[key] ?? old[key] }

    /// A value that alone weighs more than `capacity` is not kept.
    @inlinable package mutating func insert(_ value: Value, for key: Key) {
        remove(key)
        let added = weight(value)
        guard added <= capacity else { return }
        if youngWeight > capacity - added {
            old = young
            young = [:]
            youngWeight = 0
        }
        young[key] = value
        youngWeight += added
    }

    @inlinable package mutating func remove(_ key: Key) {
        if let removed = young.removeValue(forKey: key) { youngWeight -= weight(removed) }
        old[key] = nil
    }
}

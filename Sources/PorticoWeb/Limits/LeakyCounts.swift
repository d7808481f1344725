/// Counts by key that decrease with time, in a fixed number of bytes: 32 for each count.
///
/// A key belongs to one group of eight, which clients cannot predict. If its group is full, a new
/// key replaces the lowest count *and starts with it* (the Space-Saving algorithm): a key's count
/// is never lower than what was counted for it. So a flood of new keys cannot reset an exhausted
/// one; a flood that fills the whole table can only make others wait too, until the counts have
/// decreased.
struct LeakyCounts: Sendable {
    /// A count at the time of its last change.
    struct Count: Sendable {
        /// The count, reduced by what has leaked since; 0 or more.
        var level: Double = 0
        /// In seconds of a ``SteadyTime``; meaningless if the level is 0.
        var at: Double = 0
    }

    private struct Slot: Sendable {
        var key: LimitKey
        var count: Count
    }

    private static let group = 8
    private var slots: [Slot]
    private let groups: Int
    /// How much a count decreases in a second.
    private let perSecond: Double

    /// - Parameters:
    ///   - capacity: How many keys are distinguished; rounded up to a multiple of eight.
    ///   - perSecond: How much a count decreases in a second.
    init(capacity: Int, perSecond: Double) {
        groups = max(1, (capacity + Self.group - 1) / Self.group)
        self.perSecond = perSecond
        slots = Array(
            repeating: Slot(key: LimitKey("nothing"), count: Count()),
            count: groups * Self.group
        )
    }

    /// The size of the counts, in bytes.
    var size: Int { slots.count * MemoryLayout<Slot>.stride }

    /// The count of a key at `now` (seconds of a ``SteadyTime``).
    func count(of key: LimitKey, at now: Double) -> Count {
        let range = places(of: key)
        if let own = range.first(where: { slots[$0].key == key }) { return leaked(own, now) }
        return leaked(lowest(range, now), now)
    }

    /// Sets the count of a key: ``count(of:at:)``, changed.
    mutating func set(_ count: Count, of key: LimitKey, at now: Double) {
        let range = places(of: key)
        let place = range.first { slots[$0].key == key } ?? lowest(range, now)
        slots[place] = Slot(key: key, count: count)
    }

    /// Whether a key has its own place.
    func isKnown(_ key: LimitKey) -> Bool {
        places(of: key).contains { slots[$0].key == key }
    }

    /// Swift's hashing has a random seed for each process, so an attacker cannot choose keys of one
    /// group.
    private func places(of key: LimitKey) -> Range<Int> {
        let group = Int(UInt(bitPattern: key.hashValue) % UInt(groups))
        return group * Self.group..<(group + 1) * Self.group
    }

    private func lowest(_ range: Range<Int>, _ now: Double) -> Int {
        range.min { leaked($0, now).level < leaked($1, now).level } ?? range.lowerBound
    }

    private func leaked(_ place: Int, _ now: Double) -> Count {
        var count = slots[place].count
        // A request that arrived out of order changes nothing.
        let elapsed = now - count.at
        if elapsed > 0 { count.level = max(0, count.level - elapsed * perSecond) }
        return count
    }
}

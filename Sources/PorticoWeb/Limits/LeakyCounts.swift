/// Counts by key that go down by themselves, in a number of bytes that is fixed when it is made: 32 a
/// count.
///
/// A key has its place in one group of eight, which nobody outside can foresee. Where its group is
/// full, a new key takes the place of the lowest count, *and begins with it* (the Space-Saving
/// algorithm): what is said of a key is never less than what was counted for it. So no flood of new
/// keys makes an exhausted one usable again; a flood that fills the whole table can only make
/// others wait too, until the counts have gone down.
struct LeakyCounts: Sendable {
    /// A count at the time of its last change.
    struct Count: Sendable {
        /// How many, less what has gone down since; 0 or more.
        var level: Double = 0
        /// In seconds of a ``SteadyTime``; meaningless where the level is 0.
        var at: Double = 0
    }

    private struct Slot: Sendable {
        var key: LimitKey
        var count: Count
    }

    private static let group = 8
    private var slots: [Slot]
    private let groups: Int
    /// How much a count goes down in a second.
    private let perSecond: Double

    /// - Parameters:
    ///   - capacity: How many keys are told apart; rounded up to a multiple of eight.
    ///   - perSecond: How much a count goes down in a second.
    init(capacity: Int, perSecond: Double) {
        groups = max(1, (capacity + Self.group - 1) / Self.group)
        self.perSecond = perSecond
        slots = Array(
            repeating: Slot(key: LimitKey("nothing"), count: Count()),
            count: groups * Self.group
        )
    }

    /// What the counts take, in bytes.
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

    /// Whether a key has a place of its own.
    func isKnown(_ key: LimitKey) -> Bool {
        places(of: key).contains { slots[$0].key == key }
    }

    /// Swift's hashing has a seed of the process, so that nobody can choose keys of one group.
    private func places(of key: LimitKey) -> Range<Int> {
        let group = Int(UInt(bitPattern: key.hashValue) % UInt(groups))
        return group * Self.group..<(group + 1) * Self.group
    }

    private func lowest(_ range: Range<Int>, _ now: Double) -> Int {
        range.min { leaked($0, now).level < leaked($1, now).level } ?? range.lowerBound
    }

    private func leaked(_ place: Int, _ now: Double) -> Count {
        var count = slots[place].count
        // A request that came out of order gives nothing and takes nothing.
        let elapsed = now - count.at
        if elapsed > 0 { count.level = max(0, count.level - elapsed * perSecond) }
        return count
    }
}

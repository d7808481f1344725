/// A dictionary that forgets what was not used for longest, in bounded memory.
///
/// Two generations: a full young one becomes the old one, and what the old one still held is gone.
/// So at least the last `capacity` keys used are there, and never more than twice as many.
struct RecentlyUsed<Value: Sendable>: Sendable {
    private var young: [String: Value] = [:]
    private var old: [String: Value] = [:]
    private let capacity: Int

    /// - Parameter capacity: How many keys a generation holds.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { young.count + old.count }

    subscript(key: String) -> Value? {
        get { young[key] ?? old[key] }
        set {
            old[key] = nil
            if let newValue {
                if young[key] == nil, young.count >= capacity {
                    old = young
                    young = [:]
                }
                young[key] = newValue
            } else {
                young[key] = nil
            }
        }
    }
}

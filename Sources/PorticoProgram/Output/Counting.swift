extension BinaryInteger {
    /// With what it counts: `1 session`, `2 sessions`.
    func counting(_ thing: String) -> String { self == 1 ? "1 \(thing)" : "\(self) \(thing)s" }
}

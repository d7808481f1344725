/// Finds the name that was probably meant.
enum Suggestion {
    /// The nearest of `candidates`, if it is near enough.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        if word.count > 1, let whole = candidates.first(where: { $0.hasPrefix(word) }) {
            return whole
        }
        let word = Array(word.lowercased().unicodeScalars.prefix(64))
        let ranked = candidates.map { candidate in
            (candidate, distance(word, Array(candidate.lowercased().unicodeScalars)))
        }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        // One typo in a short word, a third of the letters of a long one.
        return best.1 <= max(1, (word.count + 1) / 3) ? best.0 : nil
    }

    /// How many letters must be added, removed, replaced or swapped with their neighbour
    /// (optimal string alignment).
    static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var previous = Array(0...other.count)
        for row in one.indices {
            var current = [row + 1]
            for column in other.indices {
                let isSame = one[row] == other[column]
                var best = min(
                    previous[column] + (isSame ? 0 : 1),
                    previous[column + 1] + 1,
                    current[column] + 1
                )
                if row > 0, column > 0, one[row] == other[column - 1],
                    one[row - 1] == other[column]
                {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, previous) = (previous, current)
        }
        return previous[other.count]
    }
}

import PorticoBytes

/// The ids of a file, as far as they can be kept: tokens, scripts and exports name them.
struct ImportedIDs {
    private var taken = SeenTexts()

    /// The same for ids that differ in the spelling of a UUID only.
    static func key(_ id: String) -> String { UniqueID(id)?.text ?? id }

    /// The file's id, if it is a UUID that was not given yet; else a new one.
    mutating func take(_ id: String?, random: RandomSource) -> String {
        if let id, let unique = UniqueID(id), taken.insert(unique.text) { return unique.text }
        let made = UniqueID(random: random).text
        _ = taken.insert(made)
        return made
    }
}

/// Which of any number of texts were there before, in 16 bytes each: a file may have a million.
struct SeenTexts {
    private struct Digest: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private var digests: Set<Digest> = []

    /// Whether it is the first of its kind.
    mutating func insert(_ text: String) -> Bool { digests.insert(Self.digest(text)).inserted }

    func contains(_ text: String) -> Bool { digests.contains(Self.digest(text)) }

    private static func digest(_ text: String) -> Digest {
        let bytes = Hash256(of: text).bytes
        func word(_ range: Range<Int>) -> UInt64 {
            bytes[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return Digest(high: word(0..<8), low: word(8..<16))
    }
}

import PorticoBytes
import PorticoWeb

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
    private var keys: Set<LimitKey> = []

    /// Whether it is the first of its kind.
    mutating func insert(_ text: String) -> Bool { keys.insert(LimitKey("seen", text)).inserted }

    func contains(_ text: String) -> Bool { keys.contains(LimitKey("seen", text)) }
}

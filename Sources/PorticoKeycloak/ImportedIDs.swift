import PorticoBytes

/// The ids of a file, as far as they can be kept: tokens, scripts and exports name them.
struct ImportedIDs {
    private var taken: Set<String> = []

    /// The file's id, if it is a UUID that was not given yet; else a new one.
    mutating func take(_ id: String?, random: RandomSource) -> String {
        if let id, let unique = UniqueID(id), taken.insert(unique.text).inserted {
            return unique.text
        }
        let made = UniqueID(random: random).text
        taken.insert(made)
        return made
    }
}

import PorticoBytes

/// Names of record types and methods in the AT Protocol: a domain in reverse, and a name in it.
package enum NSID {
    /// Three labels or more, at most 317 bytes; the last is a word without hyphens.
    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 317 else { return false }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 3, let name = labels.last else { return false }
        let hyphen = UInt8(ascii: "-")
        return labels[0].first?.isLetter == true && name.first?.isLetter == true
            && !name.contains(hyphen)
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen }
            }
    }
}

extension BidirectionalCollection {
    /// Without the elements at both ends for which `isBlank` is true, in one pass from each end.
    @inlinable package func trimming(_ isBlank: (Element) -> Bool) -> SubSequence {
        guard let last = lastIndex(where: { !isBlank($0) }) else { return prefix(0) }
        return self[...last].drop(while: isBlank)
    }
}

extension String {
    /// Without blanks and tabs at either end (RFC 9110 §5.6.3).
    package var trimmingBlanks: String {
        let trimmed = utf8.trimming { $0.isBlank }
        return trimmed.count == utf8.count ? self : String(Substring(trimmed))
    }

    /// The text after `prefix`, compared as bytes; `nil` if the text does not begin with it.
    package func dropping(_ prefix: String) -> Substring? {
        utf8.starts(with: prefix.utf8) ? Substring(utf8.dropFirst(prefix.utf8.count)) : nil
    }
}

import PorticoBytes

/// The texts of one language: a line `key = text` each, in a form that translators' tools read
/// (Java's `.properties`, in UTF-8).
///
/// Lines that begin with `#` are for translators. A line that ends with `\` goes on in the next one,
/// without the blanks that it begins with.
struct LanguageFile {
    private(set) var texts: [String: String] = [:]
    /// What is wrong with it, a sentence each.
    private(set) var faults: [String] = []

    init(_ file: String) {
        var start = ""
        for line in file.split(whereSeparator: \.isNewline) {
            let part = start + line.drop { $0 == " " }
            guard !part.hasSuffix(#"\"#) else {
                start = String(part.dropLast())
                continue
            }
            start = ""
            if !part.hasPrefix("#") { read(part) }
        }
        if !start.isEmpty { faults.append("The last line ends with a backslash.") }
    }

    private mutating func read(_ line: String) {
        let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmingBlanks }
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            faults.append("No key and text: \(line)")
            return
        }
        if texts.updateValue(parts[1], forKey: parts[0]) != nil {
            faults.append("Twice: \(parts[0])")
        }
    }
}

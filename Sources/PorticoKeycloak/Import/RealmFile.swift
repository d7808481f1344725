package import PorticoBytes
package import PorticoProtocol

/// A file with realms, or with people of one. It is read more than once, never as a whole.
package struct RealmFile: Sendable {
    /// What errors call it.
    package let name: String
    /// What becomes of placeholders in its texts.
    let placeholders: Placeholders
    private let open: @Sendable (Int) throws(FileBytes.Refusal) -> any ByteSource
    private let hasChanged: @Sendable () -> Bool

    /// - Parameters:
    ///   - hasChanged: Whether it is another file by now than when it was named.
    ///   - open: Its bytes from an offset on. One such source is read at a time.
    package init(
        name: String,
        hasChanged: @escaping @Sendable () -> Bool = { false },
        placeholders: Placeholders = .refused,
        open: @escaping @Sendable (_ offset: Int) throws(FileBytes.Refusal) -> any ByteSource
    ) {
        self.name = name
        self.placeholders = placeholders
        self.hasChanged = hasChanged
        self.open = open
    }

    /// What was judged and what is written must be one.
    func expectUnchanged() throws(RealmFileError) {
        if hasChanged() { throw RealmFileError(file: name, reason: .changed) }
    }

    package func bytes(from offset: Int) throws(FileBytes.Refusal) -> any ByteSource {
        try open(offset)
    }
}

/// Stretches of a file, one after the other, with texts between them.
struct RealmBytes: ByteSource {
    enum Part {
        case text(StaticString)
        case stretch(Range<Int>)
    }

    private let file: RealmFile
    private var parts: ArraySlice<Part>
    /// Of the stretch in front, once it was begun.
    private var open: (any ByteSource)?
    /// How much of the stretch in front is left.
    private var rest = 0

    init(_ file: RealmFile, _ parts: [Part]) {
        self.file = file
        self.parts = parts[...]
    }

    /// The whole file, or the rest of it.
    init(_ file: RealmFile, from offset: Int = 0) {
        self.init(file, [.stretch(offset..<Int.max)])
    }

    mutating func next(upTo limit: Int) throws(FileBytes.Refusal) -> [UInt8] {
        while let part = parts.first {
            switch part {
            case .text(let text):
                parts.removeFirst()
                return Array("\(text)".utf8)
            case .stretch(let range):
                if open == nil {
                    open = try file.bytes(from: range.lowerBound)
                    rest = range.count
                }
                let bytes = rest == 0 ? [] : try open?.next(upTo: min(limit, rest)) ?? []
                if !bytes.isEmpty {
                    rest -= bytes.count
                    return bytes
                }
                open = nil
                parts.removeFirst()
            }
        }
        return []
    }
}

/// What is wrong with one of several files.
package struct RealmFileError: Error, Hashable, Sendable {
    /// As ``RealmFile/name``.
    package let file: String
    package let reason: RealmImportError
}

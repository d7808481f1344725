package import PorticoBytes

/// Passwords of seals in a file that only its owner may read: a line for each, `ID PASSWORD`, the
/// newest last. All open, the last one seals (docs/decisions/0060).
extension IronPasswords {
    package enum FileRefusal: Error, Hashable, Sendable {
        case file(OwnerOnlyFile.Refusal)
        /// No id and password with one space between; counted from 1.
        case line(Int)
        case passwords(IronError)
    }

    private static let longestFile = 64 * 1024

    package static func load(_ path: String) throws(FileRefusal) -> IronPasswords {
        let text: [UInt8]
        do {
            text = try OwnerOnlyFile.read(path, from: .administrator, limit: longestFile)
        } catch {
            throw .file(error)
        }
        return try IronPasswords(text: text)
    }

    /// Those at `path`; a new one, under the id 1, if there is no file. Two processes that start at
    /// once get the same.
    package static func loadOrCreate(_ path: String, random: RandomSource) throws(FileRefusal)
        -> IronPasswords
    {
        do {
            return try load(path)
        } catch .file(.missing) {
            do {
                let line = Array("1 \(random.text(32))\n".utf8)
                try OwnerOnlyFile.write(line, to: path, isNew: true, random: random)
            } catch {
                guard error == .alreadyExists else { throw .file(error) }
            }
            // Not every file system supports it: the file is stored anyway.
            _ = OwnerOnlyFile.syncFolder(of: path)
            return try load(path)
        }
    }

    init(text: [UInt8]) throws(FileRefusal) {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        var passwords: [(id: String, password: Password)] = []
        for (index, line) in lines.enumerated() {
            let parts = line.split(
                separator: UInt8(ascii: " "),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            // A control character is a mistake: another system would not have it.
            guard parts.count == 2, !parts[0].isEmpty, parts[1].allSatisfy({ $0 >= 0x20 }),
                let id = String(validating: parts[0], as: UTF8.self),
                let password = String(validating: parts[1], as: UTF8.self)
            else { throw .line(index + 1) }
            passwords.append((id, .text(SecretText(password))))
        }
        do {
            try self.init(passwords, sealing: passwords.last?.id)
        } catch {
            throw .passwords(error)
        }
    }
}

package import PorticoBytes

/// A key ring at rest: a text file that only its owner may read.
///
/// ```
/// portico key ring 1
/// active 3f2a9c01
/// key 3f2a9c01 5yZ…43 characters of base64url
/// ```
///
/// It is the same on every node and never in the database: the database alone opens nothing.
extension KeyRing {
    /// - Throws: ``KeyRingError/exposed`` if users other than the owner may read or write the file.
    package static func load(_ path: String) throws(KeyRingError) -> KeyRing {
        let text: [UInt8]
        do {
            // Far larger than any ring.
            text = try OwnerOnlyFile.read(path, from: .administrator, limit: 64 * 1024)
        } catch {
            throw KeyRingError(error)
        }
        return try KeyRing(text: text)
    }

    /// Creates a ring of one key in a new file.
    ///
    /// The file is written whole or not at all, even after a crash.
    ///
    /// - Throws: ``KeyRingError/alreadyExists``; an existing file is never replaced.
    package static func create(_ path: String, random: RandomSource) throws(KeyRingError) -> KeyRing
    {
        let ring = try KeyRing(random: random)
        try ring.write(path, isNew: true, random: random)
        return ring
    }

    /// The ring at `path`, created if missing. Two processes that start at once get the same ring.
    package static func loadOrCreate(_ path: String, random: RandomSource) throws(KeyRingError)
        -> KeyRing
    {
        do {
            return try load(path)
        } catch .missing {
            do {
                return try create(path, random: random)
            } catch .alreadyExists {
                return try load(path)
            }
        }
    }

    /// Replaces the ring at `path` with a rotated one, atomically.
    package func replace(_ path: String, random: RandomSource) throws(KeyRingError) {
        try write(path, isNew: false, random: random)
    }

    // MARK: Text

    private static let firstLine = "portico key ring 1"

    var text: [UInt8] {
        var lines = [Self.firstLine, "active \(activeID)"]
        for key in keys {
            lines.append("key \(key.id) \(Base64URL.encode(key.bytes))")
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    init(text: [UInt8]) throws(KeyRingError) {
        guard text.last == UInt8(ascii: "\n") else { throw .malformed }
        let lines = text.dropLast().split(
            separator: UInt8(ascii: "\n"),
            omittingEmptySubsequences: false
        ).map { $0.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) }
        guard lines.count >= 3,
            text.starts(with: Self.firstLine.utf8 + [UInt8(ascii: "\n")]),
            lines[1].count == 2, lines[1][0].elementsEqual("active".utf8),
            let active = KeyID(hexadecimal: lines[1][1])
        else { throw .malformed }
        var keys: [(id: KeyID, bytes: [UInt8])] = []
        for line in lines.dropFirst(2) {
            guard line.count == 3, line[0].elementsEqual("key".utf8),
                let id = KeyID(hexadecimal: line[1]), let bytes = Base64URL.decode(line[2])
            else { throw .malformed }
            keys.append((id, bytes))
        }
        try self.init(keys: keys, active: active)
    }

    // MARK: File

    private func write(_ path: String, isNew: Bool, random: RandomSource) throws(KeyRingError) {
        do {
            try OwnerOnlyFile.write(text, to: path, isNew: isNew, random: random)
        } catch {
            throw KeyRingError(error)
        }
        // Not every file system supports it: the ring is stored anyway.
        _ = OwnerOnlyFile.syncFolder(of: path)
    }
}

extension KeyRingError {
    fileprivate init(_ refusal: OwnerOnlyFile.Refusal) {
        switch refusal {
        case .missing: self = .missing
        case .notAFile: self = .notAFile
        case .exposed: self = .exposed
        case .tooLong: self = .malformed
        case .alreadyExists: self = .alreadyExists
        case .system(let reason): self = .system(errno: reason)
        }
    }
}

extension KeyRing.KeyID {
    /// Exactly eight lowercase hexadecimal digits.
    init?(hexadecimal text: some Collection<UInt8>) {
        guard text.allSatisfy({ $0.lowercased == $0 }), let bytes = Hexadecimal.bytes(text) else {
            return nil
        }
        self.init(bytes: bytes)
    }
}

package import PorticoBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A key ring at rest: a text file that only its owner may read.
///
/// ```
/// portico key ring 1
/// active 3f2a9c01
/// key 3f2a9c01 5yZ…43 characters of base64url
/// ```
///
/// It is the same on every node and never in the database: who has only the database can open
/// nothing.
extension KeyRing {
    /// - Throws: ``KeyRingError/exposed`` where anybody but the owner may read or write the file.
    package static func load(_ path: String) throws(KeyRingError) -> KeyRing {
        try KeyRing(text: try readPrivateFile(path))
    }

    /// A new ring of one key in a new file.
    ///
    /// The file is there whole or not at all, whatever happens meanwhile.
    ///
    /// - Throws: ``KeyRingError/alreadyExists``; an existing file is never replaced.
    package static func create(_ path: String, random: RandomSource) throws(KeyRingError) -> KeyRing
    {
        let ring = try KeyRing(random: random)
        try ring.write(path, random: random) { temporary in
            // Unlike a rename, a link refuses to take the place of a file.
            link(temporary, path) == 0
        }
        return ring
    }

    /// The ring at `path`, which is created where nothing is. Of two processes that start at once,
    /// both get the same ring.
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

    /// Writes a rotated ring over the one at `path`, all or nothing.
    package func replace(_ path: String, random: RandomSource) throws(KeyRingError) {
        try write(path, random: random) { rename($0, path) == 0 }
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

    private func write(
        _ path: String,
        random: RandomSource,
        place: (_ temporary: String) -> Bool
    ) throws(KeyRingError) {
        let temporary = "\(path).\(random.text(9))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(errno: errno) }
        defer { unlink(temporary) }
        do {
            defer { close(file) }
            // Some file systems and masks give another mode than asked for.
            guard fchmod(file, 0o600) == 0, writeAll(text, to: file), fsync(file) == 0 else {
                throw .system(errno: errno)
            }
        }
        guard place(temporary) else {
            throw errno == EEXIST ? .alreadyExists : .system(errno: errno)
        }
        syncFolder(of: path)
    }
}

extension KeyRing.KeyID {
    /// Exactly eight lowercase hexadecimal digits.
    init?(hexadecimal text: some Collection<UInt8>) {
        guard text.count == 8 else { return nil }
        var value: UInt32 = 0
        for character in text {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value << 4 | UInt32(character - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt32(character - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        self.init(value)
    }
}

/// Far more than a ring can be: a wrong path does not fill the memory.
private let longestFile = 64 * 1024

private func readPrivateFile(_ path: String) throws(KeyRingError) -> [UInt8] {
    // A pipe at the path must not stop the start.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw errno == ENOENT ? .missing : .system(errno: errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard status.st_mode & (S_IRWXG | S_IRWXO) == 0,
        status.st_uid == geteuid() || status.st_uid == 0
    else { throw .exposed }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= longestFile {
        let count = read(file, &chunk, chunk.count)
        guard count >= 0 else {
            if errno == EINTR { continue }
            throw .system(errno: errno)
        }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
    throw .malformed
}

private func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if count < 0 {
            if errno == EINTR { continue }
            return false
        }
        rest = rest.dropFirst(count)
    }
    return true
}

/// Makes the name survive a power cut, where the file system lets us.
private func syncFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
}

import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoSystem

enum RealmFiles {
    /// - Parameter paths: Files, folders as Keycloak exports to, and `-` for stdin.
    static func named(_ paths: [String], _ placeholders: Placeholders) throws(Failure)
        -> [RealmFile]
    {
        var files: [RealmFile] = []
        for path in paths {
            if path == "-" {
                files.append(try spooled(STDIN_FILENO, called: "stdin", placeholders))
                continue
            }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw unreadable(path, errno) }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                for path in try inFolder(path) { files.append(try file(path, placeholders)) }
            case S_IFREG: files.append(try file(path, placeholders))
            default: files.append(try spooled(descriptor, called: path, placeholders))
            }
        }
        return files
    }

    private static func file(_ path: String, _ placeholders: Placeholders) throws(Failure)
        -> RealmFile
    {
        guard let version = version(of: path) else { throw unreadable(path, errno) }
        return RealmFile(
            name: path,
            hasChanged: { Self.version(of: path) != version },
            placeholders: placeholders
        ) { offset throws(FileBytes.Refusal) in try HeldFile(path, from: offset) }
    }

    /// What tells whether a file was written to, or another one put in its place.
    private static func version(of path: String) -> [Int64]? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let written = status.st_mtimespec
        #else
            let written = status.st_mtim
        #endif
        return [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
            Int64(status.st_size), Int64(written.tv_sec), Int64(written.tv_nsec),
        ]
    }

    /// Files that Keycloak names after realms and their people, or every JSON file where none is.
    private static func inFolder(_ path: String) throws(Failure) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { $0.hasSuffix(".json") }.sorted()
        } catch {
            throw Failure(.importBroken, "\(printable(path)) cannot be read.")
        }
        let exported = names.filter { $0.hasSuffix("-realm.json") || $0.contains("-users-") }
        let chosen = exported.isEmpty ? names : exported
        guard !chosen.isEmpty else {
            throw Failure(.importBroken, "There is no realm file (.json) in \(printable(path)).")
        }
        let folder = path.hasSuffix("/") ? path : path + "/"
        return chosen.map { folder + $0 }
    }

    /// A file is read more than once, and a pipe cannot be: what comes out of it is kept in a file that
    /// has no name any more.
    private static func spooled(
        _ descriptor: Int32,
        called name: String,
        _ placeholders: Placeholders
    ) throws(Failure) -> RealmFile {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(folder)/portico-import-XXXXXX".utf8CString)
        let copy = mkstemp(&template)
        guard copy >= 0 else { throw unreadable(folder, errno) }
        unlink(template)
        let spool = HeldFile(copy)
        do {
            while true {
                let bytes = try FileBytes.next(descriptor, upTo: 256 * 1024)
                guard !bytes.isEmpty else { break }
                guard FileBytes.write(bytes, to: copy) else { throw unreadable(folder, errno) }
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw unreadable(name, EIO)
        }
        return RealmFile(name: name, placeholders: placeholders) {
            offset throws(FileBytes.Refusal) in
            try spool.seek(offset)
            return spool
        }
    }

    static func placeholders(substitute: Bool) -> Placeholders {
        substitute ? .from(ProcessInfo.processInfo.environment) : .refused
    }

    /// What to do about placeholders that were not replaced.
    ///
    /// - Parameter option: By which they are.
    static func advice(
        _ unfilled: [Placeholders.Unfilled],
        substitute: Bool,
        by option: String = "--substitute"
    ) -> [String] {
        let names = unfilled.compactMap(\.name).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        var advice: [String] = []
        if unfilled.contains(where: { $0.name == nil }) {
            advice.append("Only variables of the environment are replaced: write the others out.")
        }
        guard !names.isEmpty else { return advice }
        let listed = names.map(printable).joined(separator: ", ")
        return advice + [
            substitute
                ? "Not in the environment: \(listed)"
                : "Set \(listed) in the environment, and add \(option)"
        ]
    }

    private static func unreadable(_ path: String, _ reason: Int32) -> Failure {
        Failure(.importBroken, "\(printable(path)) cannot be read: \(systemReason(reason)).")
    }
}

private final class HeldFile: ByteSource, Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    convenience init(_ path: String, from offset: Int) throws(FileBytes.Refusal) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno: errno) }
        self.init(descriptor)
        try seek(offset)
    }

    func seek(_ offset: Int) throws(FileBytes.Refusal) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw .system(errno: errno) }
    }

    func next(upTo limit: Int) throws(FileBytes.Refusal) -> [UInt8] {
        try FileSource(descriptor).next(upTo: limit)
    }

    deinit {
        close(descriptor)
    }
}

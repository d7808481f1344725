import PorticoBytes
import PorticoSeals
import PorticoSystem

struct DataDirectory: Sendable {
    let path: String

    var database: String { path + "/portico.sqlite" }
    var keyRing: String { path + "/key-ring" }
    var sealPasswords: String { path + "/seal-passwords" }
    var serverLock: String { path + "/serve.lock" }
    var importLock: String { path + "/import.lock" }
    /// Distinguishes a folder of `serve --demo` from one with real data.
    var demoMarker: String { path + "/demo" }

    /// That of `serve --demo`, where no option names it.
    var ofDemo: DataDirectory { DataDirectory(path: path + "/demo") }

    /// Whether `serve --demo` made the data.
    var isOfDemo: Bool { FileManager.default.fileExists(atPath: demoMarker) }

    /// Whether there is data.
    ///
    /// - Throws: where that cannot be looked for.
    func hasDatabase() throws(Failure) -> Bool {
        var status = stat()
        guard stat(database, &status) != 0 else { return true }
        let reason = errno
        guard reason != ENOENT else { return false }
        throw unreadable(reason)
    }

    /// What keeps this user out, with the owner of it.
    private func unreadable(_ reason: Int32) -> Failure {
        guard reason != ENOTDIR else {
            return Failure(
                .dataDirectory,
                "\(printable(path)) is not a folder.",
                "Choose another: --data-directory PATH"
            )
        }
        let what = "\(printable(path)) cannot be read: \(systemReason(reason))."
        guard reason == EACCES else {
            return Failure(.dataDirectory, what, "Choose another: --data-directory PATH")
        }
        if let owner = FileOwner(path) {
            return Failure(.dataDirectory, what, owner.remedy("700"))
        }
        // A folder that it lies in is closed to this user.
        var outer = OwnerOnlyFile.folder(of: path)
        while let folder = outer, FileOwner(folder) == nil {
            outer = OwnerOnlyFile.folder(of: folder)
        }
        let owner = outer.flatMap { FileOwner($0) }
        return Failure(
            .dataDirectory,
            what,
            owner.map { $0.isOwn ? $0.remedy("700") : "\(printable(outer ?? "")): \($0.whose)." }
                ?? "Run portico as the user that runs the server."
        )
    }

    var missing: Failure {
        Failure(
            .dataDirectory,
            "There is no server data in \(printable(path)).",
            // `try?`: what cannot be read is no help.
            advice: ((try? ofDemo.hasDatabase()) == true
                ? ["To use the data of serve --demo: --data-directory \(shellWord(ofDemo.path))"]
                : [])
                + [
                    "Name its folder with --data-directory PATH, or make a first realm:",
                    portico("realm create NAME"),
                ]
        )
    }

    /// Creates the folder if it is missing, with access for this user only.
    func create() throws(Failure) {
        do {
            try OwnerOnlyFile.makeFolder(path)
        } catch {
            throw Failure(
                .dataDirectory,
                "The data directory \(printable(path)) cannot be created.",
                "\(printable(error.path)): \(systemReason(error.reason)).",
                "Choose another: --data-directory PATH"
            )
        }
    }

    /// What only the user that runs the server may read, with its mode.
    var parts: [(name: String, path: String, mode: String)] {
        [("data folder", path, "700"), ("database file", database, "600")]
    }

    /// What others could read of it, with the command that mends it.
    var exposures: [(what: String, remedy: String)] {
        parts.compactMap { name, path, mode in
            guard let owner = FileOwner(path), owner.isOpenToOthers else { return nil }
            return (
                "Others can read the \(name) \(printable(path)), mode \(owner.modeText).",
                owner.remedy(mode)
            )
        }
    }

    /// Why nothing can be written there, and what mends it; `nil`: that is not what is wrong.
    var whyReadOnly: (what: String, remedy: String)? {
        for (name, path, mode) in [("folder", path, "700"), ("database file", database, "600")]
        where access(path, W_OK) != 0 {
            switch errno {
            case EROFS:
                return (
                    "The file system of \(printable(path)) is read-only.",
                    "Make it writable, or choose another folder: --data-directory PATH"
                )
            case EACCES:
                return (
                    "The \(name) \(printable(path)) cannot be written: "
                        + "\(systemReason(EACCES)).",
                    FileOwner.remedy(path, mode: mode)
                        ?? "Run portico as the user that runs the server."
                )
            default: continue
            }
        }
        return nil
    }

    /// Opens the key ring. It creates one only if no database exists yet: a new key ring cannot open
    /// what an older one sealed.
    func openKeyRing(random: RandomSource) throws(Failure) -> KeyRing {
        let mayBeNew = try !hasDatabase()
        do {
            return mayBeNew
                ? try KeyRing.loadOrCreate(keyRing, random: random) : try KeyRing.load(keyRing)
        } catch {
            // Where there is none yet, it is the folder that takes no new file.
            let owner = FileOwner(keyRing) ?? FileOwner(path)
            throw Failure(
                .keyRing,
                "\(printable(keyRing)): \(Self.words(error, owner))",
                advice(on: error, owner)
            )
        }
    }

    private static func words(_ error: KeyRingError, _ owner: FileOwner?) -> String {
        switch error {
        case .exposed where owner?.isOwn == false: "It belongs to another user."
        case .system(let reason): "\(error.explanation) \(systemReason(reason))."
        default: "\(error.explanation)"
        }
    }

    private func advice(on error: KeyRingError, _ owner: FileOwner?) -> String {
        switch error {
        case .missing, .malformed, .notAFile:
            "Restore the key ring from your backup: the data cannot be opened without it."
        case .exposed: owner?.remedy("600") ?? "The server does not start without its key ring."
        case .alreadyExists, .unknownKey, .system:
            owner.flatMap { $0.isOwn ? nil : $0.remedy("600") } ?? whyReadOnly?.remedy
                ?? "The server does not start without its key ring."
        }
    }
}

struct DiskRoom: Hashable, Sendable {
    let free: UInt64

    init(free: UInt64) {
        self.free = free
    }

    /// `nil`: it cannot be found out.
    init?(at path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !overflow else { return nil }
        self.init(free: bytes)
    }

    /// Too little for a database to be opened: it makes files of its own then.
    var isNone: Bool { free < 1_000_000 }

    var isLittle: Bool { free < 200_000_000 }

    var text: String {
        switch free {
        case ..<1000: "\(free) bytes"
        case ..<1_000_000: "\(free / 1000) kB"
        case ..<1_000_000_000: "\(free / 1_000_000) MB"
        default: "\(free / 1_000_000_000) GB"
        }
    }

    static func remedy(_ path: String) -> String { "Make room on the disk of \(printable(path))" }
}

/// The owner of a file, and its mode: for what mends a file that a program must not use.
struct FileOwner {
    private let path: String
    private let owner: uid_t
    let mode: mode_t
    private let isFile: Bool

    /// `nil`: there is nothing at the path, or it cannot be looked at.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.path = path
        owner = status.st_uid
        mode = status.st_mode & 0o777
        isFile = status.st_mode & S_IFMT == S_IFREG
    }

    var isOwn: Bool { owner == geteuid() }

    var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Whether it is a file, and no pipe, that others could read.
    var isSharedFile: Bool { isFile && isOpenToOthers }

    var modeText: String { String(mode, radix: 8) }

    /// That it is not this user's, without a full stop.
    var whose: String {
        let name = Self.name(of: owner)
        return "It belongs to \(name), and portico runs as \(Self.name(of: geteuid())): "
            + "run it as \(name)"
    }

    /// What mends it, so that only this user can use it. `sudo` where it is another user's.
    func remedy(_ mode: String) -> String {
        guard isOwn else {
            return "\(whose), or: sudo chown -R \(Self.name(of: geteuid())) \(shellWord(path))"
        }
        return "chmod \(mode) \(shellWord(path))"
    }

    /// For a file or folder that this program cannot use.
    static func remedy(_ path: String, mode: String = "600") -> String? {
        FileOwner(path)?.remedy(mode)
    }

    private static func name(of user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return "user \(user)" }
        return String(cString: name)
    }
}

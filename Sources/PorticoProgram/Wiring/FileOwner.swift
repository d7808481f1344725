import PorticoBytes
import PorticoSystem

/// Whose a file is, and who may read it: for what mends a file that a program must not use.
struct FileOwner {
    private let path: String
    private let owner: uid_t
    /// The nine bits.
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

    /// Whether it belongs to the user that runs this program.
    var isOwn: Bool { owner == geteuid() }

    /// Whether others could read or write it.
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

import PorticoSystem

/// A file that only its owner may read or write (mode 0600), in a folder that only its owner may
/// enter (mode 0700).
package enum OwnerOnlyFile {
    package enum Refusal: Error, Hashable, Sendable {
        case missing
        /// It is a folder, a pipe or a device.
        case notAFile
        /// Others may read or write it, or it belongs to another user.
        case exposed
        case tooLong
        case alreadyExists
        case system(errno: Int32)
    }

    /// Who created the file.
    package enum Origin: Sendable {
        /// This program: the file belongs to this user, and a link in its place is not followed.
        case program
        /// An administrator or an orchestrator: the file may be root's, and a link is followed.
        case administrator
    }

    package static func read(_ path: String, from origin: Origin, limit: Int) throws(Refusal)
        -> [UInt8]
    {
        // A pipe at the path must not block the program.
        var flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        if origin == .program { flags |= O_NOFOLLOW }
        let file = open(path, flags)
        guard file >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .system(errno: errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        let isOwn = status.st_uid == geteuid() || origin == .administrator && status.st_uid == 0
        guard isOwn, status.st_mode & 0o077 == 0 else { throw .exposed }
        do {
            return try FileBytes.read(file, limit: limit)
        } catch {
            switch error {
            case .tooLong: throw .tooLong
            case .system(let reason): throw .system(errno: reason)
            }
        }
    }

    /// Writes `bytes` to a file at `path`, durably and atomically: at every moment either the old
    /// or the new file exists, whole.
    ///
    /// - Parameters:
    ///   - isNew: An existing file is not replaced: ``Refusal/alreadyExists``.
    ///   - prepare: Gives the file attributes before it is at `path`; `false` if that failed.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        isNew: Bool = false,
        random: RandomSource,
        prepare: (_ file: String) -> Bool = { _ in true }
    ) throws(Refusal) {
        let fresh = "\(path).\(random.text(9)).new"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = open(fresh, flags, 0o600)
        guard file >= 0 else { throw .system(errno: errno) }
        // After a successful rename or link, only a second link is left to remove.
        defer { unlink(fresh) }
        // Some file systems and masks set a different mode from the requested one.
        let isWritten =
            fchmod(file, 0o600) == 0 && prepare(fresh) && FileBytes.write(bytes, to: file)
            && fsync(file) == 0
        let reason = errno
        guard close(file) == 0, isWritten else {
            throw .system(errno: isWritten ? errno : reason)
        }
        // Unlike a rename, a link never replaces a file.
        guard (isNew ? link(fresh, path) : rename(fresh, path)) == 0 else {
            throw errno == EEXIST ? .alreadyExists : .system(errno: errno)
        }
    }

    /// Makes the names in the folder of `path` survive a power cut.
    ///
    /// - Returns: Whether it succeeded: some file systems do not support it.
    package static func syncFolder(of path: String) -> Bool {
        let descriptor = open(folder(of: path) ?? ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// The first folder that cannot be created, and the system's error.
    package struct FolderRefusal: Error, Hashable, Sendable {
        package let path: String
        package let reason: Int32
    }

    /// Creates a folder and its missing parents, for this user only. An existing folder is left as
    /// it is: it may be the user's home.
    package static func makeFolder(_ path: String) throws(FolderRefusal) {
        if let above = folder(of: path), access(above, F_OK) != 0 { try makeFolder(above) }
        guard mkdir(path, 0o700) != 0 else { return }
        let reason = errno
        var status = stat()
        guard reason == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FolderRefusal(path: path, reason: reason)
        }
    }

    /// The path without its last name; `nil` for a single name or the root.
    package static func folder(of path: String) -> String? {
        let slash = UInt8(ascii: "/")
        func withoutSlashes(_ path: Substring.UTF8View) -> Substring.UTF8View {
            let end = path.lastIndex { $0 != slash }
            return end.map { path[...$0] } ?? path.prefix(0)
        }
        let names = withoutSlashes(path.utf8[...])
        guard let last = names.lastIndex(of: slash) else { return nil }
        let folder = withoutSlashes(names[..<last])
        return folder.isEmpty ? "/" : String(Substring(folder))
    }
}

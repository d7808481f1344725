import PorticoBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps a session in a file that only this user may open (mode 0600, in a folder of mode 0700).
///
/// It is not encrypted: a key beside it would only hide it. Who may read the user's files may act
/// as the user anyway.
public struct PrivateFile: SessionStorage {
    private let path: String
    private let folder: String

    /// A file that need not exist yet.
    ///
    /// - Parameter path: Absolute. The folder is made where it is missing. Beside the file there
    ///   will be a lock file with `.lock` appended to its name.
    public init(_ path: String) {
        self.path = path
        let name = path.split(separator: "/").last ?? ""
        let folder = path.dropLast(name.count)
        self.folder = folder.isEmpty ? "." : String(folder)
    }

    @concurrent public func read() async throws(SignInError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: return nil
            case EACCES, EPERM: throw .storage(.locked)
            default: throw .storage(.unreadable)
            }
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= Self.longest
        else { throw .storage(.unreadable) }
        // Somebody else's tokens are not ours to use, and ours are not for others to see.
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw .storage(.exposed)
        }
        return try Self.contents(descriptor)
    }

    @concurrent public func write(_ record: [UInt8]) async throws(SignInError) {
        guard makeFolder() else { throw .storage(.unwritable) }
        let fresh = "\(path).\(RandomSource.system.text(8)).new"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(fresh, flags, 0o600)
        guard descriptor >= 0 else { throw .storage(.unwritable) }
        let isWritten = Self.write(record, to: descriptor) && fsync(descriptor) == 0
        guard close(descriptor) == 0, isWritten, rename(fresh, path) == 0 else {
            _ = unlink(fresh)
            throw .storage(.unwritable)
        }
        try syncFolder()
    }

    @concurrent public func remove() async throws(SignInError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
            throw .storage(.unwritable)
        }
        // Without a folder there is nothing that could come back.
        guard access(folder, F_OK) == 0 else { return }
        try syncFolder()
    }

    public func tryLock() throws(SignInError) -> SessionLock? {
        guard makeFolder() else { throw .storage(.unwritable) }
        switch FileLock.attempt("\(path).lock") {
        case .taken(let descriptor): return SessionLock { FileLock.release(descriptor) }
        case .held: return nil
        case .impossible: throw .storage(.unwritable)
        }
    }

    private static let longest = 1 << 20

    private static func contents(_ descriptor: Int32) throws(SignInError) -> [UInt8] {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = systemRead(descriptor, &buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, contents.count + count <= longest else {
                throw .storage(.unreadable)
            }
            if count == 0 { return contents }
            contents += buffer[..<count]
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The rename itself must survive a power cut.
    private func syncFolder() throws(SignInError) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw .storage(.unwritable) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .storage(.unwritable) }
    }

    /// Makes the folder and those above it that are missing, for this user only.
    private func makeFolder() -> Bool {
        var prefix = folder.hasPrefix("/") ? "/" : ""
        for name in folder.split(separator: "/") {
            prefix += prefix.isEmpty || prefix.hasSuffix("/") ? "\(name)" : "/\(name)"
            if mkdir(prefix, 0o700) != 0, errno != EEXIST { return false }
        }
        return true
    }
}

// The names of these calls are also names of ours.
private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    read(descriptor, &buffer, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

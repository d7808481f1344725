import PorticoWeb

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps a second server out of one data directory: counters of wrong passwords and what was last
/// seen are in the memory of the one that serves.
///
/// Commands that administer realms do not need it: they go through the database alone. The system
/// frees the lock when the process ends, however it ends.
final class ServerLock: Sendable {
    private let descriptor: Int32

    init(_ directory: DataDirectory) throws(Failure) {
        let path = directory.serverLock
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                .dataDirectory,
                "\(printable(path)) cannot be opened: \(String(cString: strerror(errno)))."
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let other = Self.processID(descriptor)
            close(descriptor)
            throw Failure(
                .alreadyRunning,
                "Another portico serves from \(printable(directory.path))"
                    + (other.map { " (process \($0))." } ?? "."),
                "Stop that one, or give this one a folder of its own: --data-directory PATH"
            )
        }
        write("\(getpid())\n")
    }

    /// Says where this server is reached, for commands that were not told.
    func note(publicURL: String) {
        write("\(getpid())\n\(publicURL)\n")
    }

    /// Only a courtesy to whoever meets the lock: it holds without.
    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, bytes, bytes.count, 0) }
    }

    deinit {
        close(descriptor)
    }

    private static func processID(_ descriptor: Int32) -> pid_t? {
        lines(descriptor).first.flatMap { pid_t($0) }
    }

    private static func lines(_ descriptor: Int32) -> [Substring] {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Where the server that serves from the folder is reached; `nil` where none does.
    ///
    /// The lock is not tried: a server that starts just now would find it taken.
    static func servedURL(_ directory: DataDirectory) -> PublicURL? {
        let descriptor = open(directory.serverLock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let lines = lines(descriptor)
        guard lines.count >= 2, let process = pid_t(lines[0]), process > 0,
            kill(process, 0) == 0 || errno == EPERM
        else { return nil }
        // `try?`: what is none was not written by a server.
        return try? PublicURL(String(lines[1]))
    }
}

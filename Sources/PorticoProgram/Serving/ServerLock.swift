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
        let text = Array("\(getpid())\n".utf8)
        // Only a courtesy to whoever meets the lock: it holds without.
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    deinit {
        close(descriptor)
    }

    private static func processID(_ descriptor: Int32) -> Int? {
        var buffer = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 1 else { return nil }
        return Int(String(decoding: buffer[..<(count - 1)], as: UTF8.self))
    }
}

import Foundation
import PorticoBytes
import PorticoWeb

/// Keeps a second server out of one data directory: counters of wrong passwords and what was last
/// seen are in the memory of the one that serves.
///
/// Commands that administer realms do not need it: they go through the database alone. The system
/// frees the lock when the process ends, however it ends.
final class ServerLock: Sendable {
    private let descriptor: Int32

    init(_ directory: DataDirectory) throws(Failure) {
        let path = directory.serverLock
        switch FileLock.attempt(path) {
        case .taken(let taken): descriptor = taken
        case .impossible(let reason):
            throw Failure(
                .dataDirectory,
                "\(printable(path)) cannot be opened: \(String(cString: strerror(reason)))."
            )
        case .held:
            let other = Self.lines(path).first.flatMap { pid_t($0) }
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
        FileLock.release(descriptor)
    }

    private static func lines(_ path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        // `try?`: what cannot be read says nothing of a server.
        let bytes = try? FileBytes.read(descriptor, limit: 4096)
        return String(decoding: bytes ?? [], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Where the server that serves from the folder is reached; `nil` where none does.
    ///
    /// The lock is not tried: a server that starts just now would find it taken.
    static func servedURL(_ directory: DataDirectory) -> PublicURL? {
        let lines = lines(directory.serverLock)
        guard lines.count >= 2, let process = pid_t(lines[0]), process > 0,
            kill(process, 0) == 0 || errno == EPERM
        else { return nil }
        // `try?`: what is none was not written by a server.
        return try? PublicURL(String(lines[1]))
    }
}

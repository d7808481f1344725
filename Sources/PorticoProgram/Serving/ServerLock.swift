import PorticoBytes
import PorticoWeb
import PorticoSystem

/// Keeps a second server out of a data directory: a server has its counters of wrong passwords and
/// the times when sessions were last seen in memory.
///
/// Commands that administer realms do not need it, as they use only the database. The system releases
/// the lock when the process ends, however it ends.
final class ServerLock: Sendable {
    private let descriptor: Int32

    init(_ directory: DataDirectory) throws(Failure) {
        let path = directory.serverLock
        switch FileLock.attempt(path) {
        case .taken(let taken): descriptor = taken
        case .impossible(let reason):
            throw Failure(
                .dataDirectory,
                "\(printable(path)) cannot be opened: \(String(cString: strerror(reason))).",
                advice: [
                    FileOwner(path).flatMap { $0.isOwn ? nil : $0.remedy("600") }
                        ?? FileOwner(directory.path).flatMap { $0.isOwn ? nil : $0.remedy("700") }
                        ?? "Choose another folder: --data-directory PATH"
                ]
            )
        case .held:
            let other = Self.lines(path).first.flatMap { pid_t($0) }
            throw Failure(
                .alreadyRunning,
                "Another portico is already serving from \(printable(directory.path))"
                    + (other.map { " (process \($0))." } ?? "."),
                "Stop it, or choose another folder: --data-directory PATH"
            )
        }
        write("\(getpid())\n")
    }

    /// Writes down this server's public URL, for commands that are run without it.
    func note(publicURL: String) {
        write("\(getpid())\n\(publicURL)\n")
    }

    /// A failure is ignored: the text only informs, and the lock holds without it.
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
        // `try?`: an unreadable file names no server.
        let bytes = try? FileBytes.read(descriptor, limit: 4096)
        return String(decoding: bytes ?? [], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The public URL of the server that serves from the folder, or `nil` if none does.
    ///
    /// It does not try the lock, because a server starting at this moment would find it taken.
    static func servedURL(_ directory: DataDirectory) -> PublicURL? {
        let lines = lines(directory.serverLock)
        guard lines.count >= 2, let process = pid_t(lines[0]), process > 0,
            kill(process, 0) == 0 || errno == EPERM
        else { return nil }
        // `try?`: if it is not a URL, no server wrote it.
        return try? PublicURL(String(lines[1]))
    }
}

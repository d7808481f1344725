import PorticoBytes
import PorticoSystem

/// Files that a command is given by name.
enum FileInput {
    /// - Parameters:
    ///   - path: `-` for stdin.
    ///   - limit: The longest that is read, in bytes.
    ///   - name: What an error calls it instead of its path, where that may be no path at all.
    static func bytes(_ path: String, limit: Int, called name: String? = nil) throws(Failure)
        -> [UInt8]
    {
        let name = name ?? printable(path)
        let descriptor = try opened(path, called: name)
        defer { if path != "-" { close(descriptor) } }
        do {
            return try FileBytes.read(descriptor, limit: limit)
        } catch {
            guard case .system(let reason) = error else {
                throw Failure(.wrongValue, "\(name) is longer than \(limit / 1024) KiB.")
            }
            throw unreadable(name, reason)
        }
    }

    /// To be closed, but for stdin.
    static func opened(_ path: String, called name: String) throws(Failure) -> Int32 {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(name, errno) }
        return descriptor
    }

    static func unreadable(_ name: String, _ reason: Int32) -> Failure {
        Failure(.notFound, "\(name) cannot be read: \(String(cString: strerror(reason))).")
    }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(name) }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else {
                throw Failure(.wrongValue, "\(name) is longer than \(limit / 1024) KiB.")
            }
            bytes += chunk[..<count]
        }
    }

    private static func unreadable(_ name: String) -> Failure {
        Failure(
            .notFound,
            "\(name) cannot be read: \(String(cString: strerror(errno)))."
        )
    }
}

package import PorticoBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A password in a file that nobody but its owner may read.
package enum PasswordFile {
    package enum Refusal: Error, Hashable, Sendable {
        case missing
        case notAFile
        /// Others may read or write it, or it is somebody else's.
        case exposed
        /// Not one line of UTF-8, or far too long.
        case malformed
    }

    /// - Returns: The file's text without the line end at its end.
    package static func read(_ path: String) throws(Refusal) -> SecretText {
        // A pipe at the path must not stop the start.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .missing }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .notAFile
        }
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0,
            status.st_uid == geteuid() || status.st_uid == 0
        else { throw .exposed }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        while bytes.count <= longest {
            #if canImport(Darwin)
                let count = Darwin.read(file, &chunk, chunk.count)
            #elseif canImport(Glibc)
                let count = Glibc.read(file, &chunk, chunk.count)
            #else
                let count = Musl.read(file, &chunk, chunk.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= longest, var text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed
        }
        if text.last == "\r\n" || text.last == "\n" { text.removeLast() }
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
            throw .malformed
        }
        return SecretText(text)
    }

    private static let longest = 4096
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The bytes of opened files, whole or not at all.
package enum FileBytes {
    package enum Refusal: Error, Hashable, Sendable {
        case tooLong
        case system(errno: Int32)
    }

    /// All that is left to read.
    ///
    /// - Parameter limit: In bytes: a wrong path does not fill the memory.
    package static func read(_ descriptor: Int32, limit: Int) throws(Refusal) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 64 * 1024))
        while true {
            let count = systemRead(descriptor, &chunk)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno: errno) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw .tooLong }
            bytes += chunk[..<count]
        }
    }

    /// Writes all of them, and waits where there is no room for more.
    ///
    /// - Returns: Whether that was done; `errno` says why not.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
                continue
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
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

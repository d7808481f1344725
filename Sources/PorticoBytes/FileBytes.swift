import PorticoSystem

/// Reads and writes the bytes of opened files, whole or not at all.
package enum FileBytes {
    package enum Refusal: Error, Hashable, Sendable {
        case tooLong
        case system(errno: Int32)
    }

    /// The rest of the file.
    ///
    /// - Parameter limit: In bytes, so that a wrong path does not fill the memory.
    package static func read(_ descriptor: Int32, limit: Int) throws(Refusal) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try next(descriptor, upTo: min(limit + 1, 64 * 1024))
            guard !chunk.isEmpty else { return bytes }
            guard bytes.count + chunk.count <= limit else { throw .tooLong }
            bytes += chunk
        }
    }

    /// The next bytes of the file, as many as are there; none at its end.
    package static func next(_ descriptor: Int32, upTo limit: Int) throws(Refusal) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: limit)
        while true {
            let count = systemRead(descriptor, &chunk)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno: errno) }
            chunk.removeSubrange(count...)
            return chunk
        }
    }

    /// Writes all bytes, and waits if the file cannot take more yet.
    ///
    /// - Returns: Whether it succeeded; otherwise `errno` has the reason.
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

// Methods in this package have the names of these calls.
private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    read(descriptor, &buffer, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

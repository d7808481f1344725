import NIOCore
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// A long body in a file without a name: nothing of it is left when the last reference is gone, or the
/// process.
package final class SpooledBody: StoredBytes {
    private let file: Int32
    private let place: UploadPlaces.Place
    private let size = Locked(0)

    /// - Parameter file: Belongs to it from now on.
    init(_ file: Int32, _ place: UploadPlaces.Place) {
        self.file = file
        self.place = place
    }

    deinit {
        close(file)
    }

    package var count: Int { size.withLock { $0 } }

    /// One call after the other.
    ///
    /// - Returns: Whether there was room for all of them.
    func append(_ bytes: ByteBuffer) -> Bool {
        let isWritten = bytes.withUnsafeReadableBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = write(file, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        if isWritten { size.withLock { $0 += bytes.readableBytes } }
        return isWritten
    }

    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while true {
            let count = pread(file, buffer.baseAddress, buffer.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            return count >= 0 ? count : nil
        }
    }
}

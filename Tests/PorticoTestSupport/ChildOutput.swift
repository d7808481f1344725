import Foundation
import PorticoBytes

/// What a program writes, read as it comes by a thread of its own.
///
/// Not a `FileHandle` with a `readabilityHandler`: that keeps its file open for good.
final class ChildOutput: Sendable {
    private let received = Locked<[UInt8]>([])
    private let open = Locked(true)

    /// - Parameter start: Starts the program, which is to write to the file that it is given.
    /// - Throws: ``POSIXError``, and what `start` throws.
    init(_ start: (Int32) throws -> Void) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(writing) }
        do {
            try start(writing)
        } catch {
            close(reading)
            throw error
        }
        let (received, open) = (received, open)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = read(reading, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                received.withLock { $0 += buffer[..<count] }
            }
            close(reading)
            open.withLock { $0 = false }
        }
    }

    var bytes: [UInt8] { received.withLock { $0 } }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether more may come.
    var isOpen: Bool { open.withLock { $0 } }
}

import PorticoBytes
import PorticoSystem

/// Reads a file that a command is given by name line by line, however long it is.
final class FileLines {
    enum Line: Equatable {
        /// Without the line feed.
        case text([UInt8])
        /// Longer than the limit; none of it is kept.
        case tooLong
    }

    private let path: String
    private let limit: Int
    private let descriptor: Int32
    private var rest: ArraySlice<UInt8> = []

    /// - Parameters:
    ///   - path: `-` for stdin.
    ///   - limit: The longest line, in bytes.
    init(_ path: String, limit: Int) throws(Failure) {
        self.path = path
        self.limit = limit
        descriptor = try FileInput.opened(path, called: printable(path))
    }

    deinit {
        if path != "-" { close(descriptor) }
    }

    /// - Returns: `nil` at the end of the file.
    func next() throws(Failure) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var isThere = false
        while true {
            if rest.isEmpty {
                rest = try chunk()[...]
                guard !rest.isEmpty else { break }
            }
            isThere = true
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = rest[..<(end ?? rest.endIndex)]
            isTooLong = isTooLong || line.count + part.count > limit
            if isTooLong { line = [] } else { line += part }
            rest = end.map { rest[$0...].dropFirst() } ?? []
            if end != nil { break }
        }
        guard isThere else { return nil }
        return isTooLong ? .tooLong : .text(line)
    }

    private func chunk() throws(Failure) -> [UInt8] {
        do {
            return try FileBytes.next(descriptor, upTo: 64 * 1024)
        } catch {
            guard case .system(let reason) = error else { return [] }
            throw FileInput.unreadable(printable(path), reason)
        }
    }
}

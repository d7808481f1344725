import PorticoSystem

/// The free room on the disk of a folder.
struct DiskRoom: Hashable, Sendable {
    /// In bytes.
    let free: UInt64

    init(free: UInt64) {
        self.free = free
    }

    /// `nil`: it cannot be found out.
    init?(at path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !overflow else { return nil }
        self.init(free: bytes)
    }

    /// Too little for a database to be opened: it makes files of its own then.
    var isNone: Bool { free < 1_000_000 }

    var isLittle: Bool { free < 200_000_000 }

    var text: String {
        switch free {
        case ..<1000: "\(free) bytes"
        case ..<1_000_000: "\(free / 1000) kB"
        case ..<1_000_000_000: "\(free / 1_000_000) MB"
        default: "\(free / 1_000_000_000) GB"
        }
    }

    static func remedy(_ path: String) -> String { "Make room on the disk of \(printable(path))" }
}

import Foundation

extension SQLiteDatabase {
    /// Opens a database only to look at it: neither the file nor anything beside it is written, and
    /// every write fails. One of an older schema is copied into memory and brought up to date there.
    ///
    /// - Throws: ``DatabaseOpeningError``.
    package convenience init(lookingAt file: String) throws {
        let connection = try DatabaseOpeningError.translating {
            let kept = try SQLiteConnection(
                path: Self.address(of: file),
                .looking,
                busyTimeout: 5
            )
            try SQLiteSchema.checkOwner(of: kept)
            if try SQLiteSchema.isCurrent(kept) { return kept }
            let copy = try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
            try copy.become(kept)
            try SQLiteSchema.migrate(copy)
            return copy
        }
        self.init(alone: connection)
    }

    /// Without a log nobody has the file open. SQLite would make one even for reading, unless it is
    /// told that the file does not change.
    private static func address(of file: String) -> String {
        let path = URL(filePath: file).absoluteURL.path
        let isOpen = FileManager.default.fileExists(atPath: path + "-wal")
        let encoded = path.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F:
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return "file:" + encoded.joined() + (isOpen ? "" : "?immutable=1")
    }
}

import PorticoBytes
import PorticoSystem

extension SQLiteDatabase {
    /// Opens a database only to look at it: neither the file nor anything beside it is written, and
    /// every write fails. If its schema is not made yet, it is seen as an empty database.
    ///
    /// - Throws: ``DatabaseOpeningError``.
    package convenience init(lookingAt file: String) throws {
        let connection = try DatabaseOpeningError.translating {
            let kept = try SQLiteConnection(
                path: Self.address(of: file),
                .looking,
                busyTimeout: 5
            )
            if try SQLiteSchema.isMade(in: kept) { return kept }
            let empty = try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
            try SQLiteSchema.make(in: empty)
            return empty
        }
        self.init(alone: connection)
    }

    /// Without a log no process has the file open. SQLite would make one even for reading, unless it is
    /// told that the file does not change.
    private static func address(of file: String) -> String {
        let path = URL(filePath: file).absoluteURL.path
        let isOpen = FileManager.default.fileExists(atPath: path + "-wal")
        var encoded: [UInt8] = []
        for byte in path.utf8 {
            if byte.isLetterOrDigit || "-./_".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                Hexadecimal.append(byte, after: "%", to: &encoded)
            }
        }
        return "file:" + String(decoding: encoded, as: UTF8.self) + (isOpen ? "" : "?immutable=1")
    }
}

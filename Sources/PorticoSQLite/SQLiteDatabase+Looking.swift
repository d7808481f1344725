import Foundation
import GRDB

extension SQLiteDatabase {
    /// Opens a database only to look at it: neither the file nor anything beside it is written, and
    /// every write fails. One of an older schema is copied into memory and brought up to date there.
    ///
    /// - Throws: ``DatabaseOpeningError``.
    package convenience init(lookingAt file: String) throws {
        let connections = SQLiteConnections()
        let main = try DatabaseOpeningError.translating {
            var configuration = Self.configuration(connections)
            configuration.readonly = true
            let kept = try DatabaseQueue(path: Self.address(of: file), configuration: configuration)
            if try kept.read({ try SQLiteSchema.isCurrent($0) }) { return kept }
            let copy = try DatabaseQueue(configuration: Self.configuration(connections))
            try kept.backup(to: copy)
            try kept.close()
            try copy.writeWithoutTransaction { try SQLiteSchema.migrate($0) }
            return copy
        }
        self.init(alone: main, connections: connections)
    }

    /// Without a log nobody has the file open. SQLite would make one even for reading, unless it is
    /// told that the file does not change.
    private static func address(of file: String) -> String {
        let path = URL(filePath: file).absoluteURL.path
        guard !FileManager.default.fileExists(atPath: path + "-wal") else { return path }
        let encoded = path.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F:
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return "file:" + encoded.joined() + "?immutable=1"
    }
}

import PorticoBytes
import PorticoSystem

/// A file that only its owner can read (0600), in a folder that only its owner can enter (0700).
enum PrivateDatabaseFile {
    /// Makes file and folder where they are missing. A file that is there loses the rights of
    /// others; a folder that is there is left as it is: it may be a home folder.
    ///
    /// - Throws: ``DatabaseOpeningError``.
    static func prepare(_ path: String) throws(DatabaseOpeningError) {
        if let folder = OwnerOnlyFile.folder(of: path) {
            do {
                try OwnerOnlyFile.makeFolder(folder)
            } catch {
                throw .cannotCreateFolder
            }
        }
        // SQLite gives its log and index files the mode of the database file.
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
        } else if errno == EEXIST {
            // Not opened: closing it would drop the locks that this process has on it.
            guard chmod(path, 0o600) == 0 else { throw .cannotOpen }
        } else {
            throw .cannotOpen
        }
    }
}

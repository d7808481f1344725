import PorticoSystem

/// A file for its owner alone (mode 0600) that is written a piece at a time beside its place, and is
/// put there when it is whole: at every moment either the old or the new file is there, never half
/// of one. One that is given up leaves nothing.
package struct OwnerOnlyDraft: ~Copyable {
    private let path: String
    private let fresh: String
    private let file: Int32

    package init(_ path: String, random: RandomSource) throws(OwnerOnlyFile.Refusal) {
        let fresh = "\(path).\(random.text(9)).new"
        let file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system(errno: errno) }
        // Some file systems and masks set a different mode from the requested one.
        guard fchmod(file, 0o600) == 0 else {
            let reason = errno
            close(file)
            unlink(fresh)
            throw .system(errno: reason)
        }
        self.path = path
        self.fresh = fresh
        self.file = file
    }

    deinit {
        close(file)
        // After a rename, nothing of that name is left.
        unlink(fresh)
    }

    package func write(_ bytes: [UInt8]) throws(OwnerOnlyFile.Refusal) {
        guard FileBytes.write(bytes, to: file) else { throw .system(errno: errno) }
    }

    /// Puts the file in its place, durably, instead of one that may be there.
    package consuming func finish() throws(OwnerOnlyFile.Refusal) {
        guard fsync(file) == 0, rename(fresh, path) == 0 else { throw .system(errno: errno) }
        _ = OwnerOnlyFile.syncFolder(of: path)
    }
}

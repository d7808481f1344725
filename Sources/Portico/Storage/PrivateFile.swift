import PorticoBytes
import PorticoSystem

/// Keeps a session in a file that only this user may open (mode 0600, in a folder of mode 0700).
///
/// The file is not encrypted: with the key stored next to it, encryption would only obscure it. A
/// process that may read the user's files can act as the user anyway. On Apple's systems it is left
/// out of backups, and on iOS it cannot be read before the device was first unlocked.
public struct PrivateFile: SessionStorage {
    private let path: String
    private let folder: String

    /// A file that need not exist yet.
    ///
    /// - Parameter path: Absolute. A missing folder is created. A lock file with `.lock` appended
    ///   to the name is created beside the file.
    public init(_ path: String) {
        self.path = path
        folder = OwnerOnlyFile.folder(of: path) ?? "."
    }

    @concurrent public func read() async throws(SignInError) -> [UInt8]? {
        do {
            return try OwnerOnlyFile.read(path, from: .program, limit: 1 << 20)
        } catch {
            switch error {
            case .missing: return nil
            // Tokens of another user must not be used, and other users must not see ours.
            case .exposed: throw .storage(.exposed)
            case .system(errno: EACCES), .system(errno: EPERM): throw .storage(.locked)
            case .notAFile, .tooLong, .alreadyExists, .system: throw .storage(.unreadable)
            }
        }
    }

    @concurrent public func write(_ record: [UInt8]) async throws(SignInError) {
        try makeFolder()
        do {
            // Each write makes a new file, without the attributes of the old one.
            try OwnerOnlyFile.write(record, to: path, random: .system, prepare: Self.protect)
        } catch {
            throw .storage(.unwritable)
        }
        try syncFolder()
    }

    @concurrent public func remove() async throws(SignInError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
            throw .storage(.unwritable)
        }
        // Without a folder, no entry can reappear.
        guard access(folder, F_OK) == 0 else { return }
        try syncFolder()
    }

    public func tryLock() throws(SignInError) -> SessionLock? {
        try makeFolder()
        switch FileLock.attempt("\(path).lock") {
        case .taken(let descriptor): return SessionLock { FileLock.release(descriptor) }
        case .held: return nil
        case .impossible: throw .storage(.unwritable)
        }
    }

    #if !canImport(Darwin)
        /// There are no attributes to give.
        static func protect(_ path: String) -> Bool { true }
    #endif

    /// The rename itself must survive a power cut.
    private func syncFolder() throws(SignInError) {
        guard OwnerOnlyFile.syncFolder(of: path) else { throw .storage(.unwritable) }
    }

    private func makeFolder() throws(SignInError) {
        do {
            try OwnerOnlyFile.makeFolder(folder)
        } catch {
            throw .storage(.unwritable)
        }
    }
}

/// Names this installation of the app, by a file in its container.
///
/// The keychain outlives an app that is deleted, its container does not: an item that bears the
/// name of another installation is a leftover. The file is made once, at whichever process comes
/// first.
struct InstallMarker: Sendable {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// - Throws: storage(.locked) before the device is first unlocked, storage(.unreadable),
    ///   storage(.unwritable)
    func name() throws(SignInError) -> [UInt8] {
        // Two turns: another process may make the file in between.
        for _ in 1...2 {
            if let name = try existing() { return name }
            do throws(OwnerOnlyFile.Refusal) {
                let name = Array(RandomSource.system.text(16).utf8)
                try OwnerOnlyFile.write(name, to: path, isNew: true, random: .system)
                // The session would be a leftover if a power cut took the name.
                guard OwnerOnlyFile.syncFolder(of: path) else { throw .system(errno: EIO) }
                return name
            } catch {
                guard error == .alreadyExists else { throw Self.problem(error, else: .unwritable) }
            }
        }
        throw .storage(.unreadable)
    }

    private func existing() throws(SignInError) -> [UInt8]? {
        do {
            return try OwnerOnlyFile.read(path, from: .program, limit: 64)
        } catch {
            if error == .missing { return nil }
            throw Self.problem(error, else: .unreadable)
        }
    }

    private static func problem(
        _ refusal: OwnerOnlyFile.Refusal,
        else problem: SignInError.StorageProblem
    ) -> SignInError {
        switch refusal {
        case .system(errno: EACCES), .system(errno: EPERM): .storage(.locked)
        default: .storage(problem)
        }
    }
}

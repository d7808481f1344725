import PorticoBytes
import PorticoSystem

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

import PorticoBytes
import PorticoSeals
import PorticoSystem

/// The folder with all data of the server.
struct DataDirectory: Sendable {
    let path: String

    var database: String { path + "/portico.sqlite" }
    var keyRing: String { path + "/key-ring" }
    var sealPasswords: String { path + "/seal-passwords" }
    /// Locked by the server that serves from this folder.
    var serverLock: String { path + "/serve.lock" }
    /// Locked by the import that writes to this folder.
    var importLock: String { path + "/import.lock" }
    /// Distinguishes a folder of `serve --demo` from one with real data.
    var demoMarker: String { path + "/demo" }

    var hasDatabase: Bool { FileManager.default.fileExists(atPath: database) }

    /// The failure of a command that needs data, if the folder has none.
    var missing: Failure {
        let demo = DataDirectory(path: path + "/demo")
        return Failure(
            .dataDirectory,
            "There is no server data in \(printable(path)).",
            advice: (demo.hasDatabase
                ? ["To use the data of serve --demo: --data-directory \(printable(demo.path))"]
                : [])
                + [
                    "Name its folder with --data-directory PATH, or make a first realm:",
                    "portico realm create NAME",
                ]
        )
    }

    /// Creates the folder if it is missing, with access for this user only.
    func create() throws(Failure) {
        do {
            try OwnerOnlyFile.makeFolder(path)
        } catch {
            throw Failure(
                .dataDirectory,
                "The data directory \(printable(path)) cannot be created.",
                "\(printable(error.path)): \(String(cString: strerror(error.reason))).",
                "Choose another: --data-directory PATH"
            )
        }
    }

    /// Opens the key ring. It creates one only if no database exists yet: a new key ring cannot open
    /// what an older one sealed.
    func openKeyRing(random: RandomSource) throws(Failure) -> KeyRing {
        do {
            return hasDatabase
                ? try KeyRing.load(keyRing) : try KeyRing.loadOrCreate(keyRing, random: random)
        } catch {
            throw Failure(
                .keyRing,
                "\(printable(keyRing)): \(error.explanation)",
                advice(on: error)
            )
        }
    }

    private func advice(on error: KeyRingError) -> String {
        switch error {
        case .missing, .malformed, .notAFile:
            "Restore the key ring from your backup: the data cannot be opened without it."
        case .exposed: "Restrict it: chmod 600 \(printable(keyRing))"
        case .alreadyExists, .unknownKey, .system:
            "The server does not start without its key ring."
        }
    }
}

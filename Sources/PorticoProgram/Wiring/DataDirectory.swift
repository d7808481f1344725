import Foundation
import PorticoBytes
import PorticoSeals

/// The one folder that holds everything the server keeps.
struct DataDirectory: Sendable {
    let path: String

    var database: String { path + "/portico.sqlite" }
    var keyRing: String { path + "/key-ring" }
    /// Locked by the server that serves from this folder.
    var serverLock: String { path + "/serve.lock" }
    /// Tells a folder of `serve --demo` from one with real data.
    var demoMarker: String { path + "/demo" }

    var hasDatabase: Bool { FileManager.default.fileExists(atPath: database) }

    /// What is said where nothing is in the folder.
    var missing: Failure {
        let demo = DataDirectory(path: path + "/demo")
        return Failure(
            .dataDirectory,
            "There is no server data in \(printable(path)).",
            advice: (demo.hasDatabase
                ? ["That of serve --demo: --data-directory \(printable(demo.path))"] : [])
                + [
                    "Name its folder with --data-directory PATH, or make a first realm:",
                    "portico realm create NAME",
                ]
        )
    }

    /// Makes the folder, for this user only, where it is missing.
    func create() throws(Failure) {
        do {
            try OwnerOnlyFile.makeFolder(path)
        } catch {
            throw Failure(
                .dataDirectory,
                "The data directory \(printable(path)) cannot be made.",
                "\(printable(error.path)): \(String(cString: strerror(error.reason))).",
                "Choose another: --data-directory PATH"
            )
        }
    }

    /// The key ring; a new one only where there is no database yet, because what an older one
    /// sealed would be lost for good.
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
            "Put the key ring back from your backup: nothing can be opened without it."
        case .exposed: "Close it: chmod 600 \(printable(keyRing))"
        case .alreadyExists, .unknownKey, .system:
            "The server does not start without its key ring."
        }
    }
}

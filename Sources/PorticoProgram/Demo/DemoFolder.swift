import PorticoStores
import PorticoSystem

/// The data folder of a demo. A demo sets new passwords, replaces its stand-ins and shows its mails to
/// anyone on this machine, so it begins in an empty folder, and marks it. What is added to a marked
/// folder later stays, and is served with the demo.
struct DemoFolder {
    let installation: Installation

    /// - Throws: `not-a-demo` if no demo marked it and it has a realm.
    func check() async throws {
        guard !isMarked, try await !installation.realms.realms().isEmpty else { return }
        throw Failure(
            .notADemo,
            "\(printable(installation.directory.path)) holds realms that no demo made.",
            "Name an empty folder: --data-directory DIR"
        )
    }

    /// Marks a checked folder as the demo's.
    func claim() throws(Failure) {
        let marker = installation.directory.demoMarker
        guard isMarked || FileManager.default.createFile(atPath: marker, contents: nil) else {
            throw Failure(.dataDirectory, "\(printable(marker)) cannot be written.")
        }
    }

    private var isMarked: Bool { installation.directory.isOfDemo }
}

import Foundation
import PorticoBytes
import Testing

@Suite("Locks on files")
struct FileLockTests {
    @Test("one holds it, no link is followed, and a place without a file says why")
    func exclusive() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "portico-lock-\(RandomSource.system.text(9))").path
        try OwnerOnlyFile.makeFolder(folder)
        // `try?`: what stays behind lies in the system's folder for such things.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/lock"
        guard case .taken(let descriptor) = FileLock.attempt(path) else {
            Issue.record("The first did not get it.")
            return
        }
        #expect(isHeld(path))
        FileLock.release(descriptor)
        guard case .taken(let second) = FileLock.attempt(path) else {
            Issue.record("It was not free again.")
            return
        }
        FileLock.release(second)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/link",
            withDestinationPath: path
        )
        #expect(refusal(folder + "/link") == ELOOP)
        #expect(refusal(folder + "/no/lock") == ENOENT)
    }

    private func isHeld(_ path: String) -> Bool {
        if case .held = FileLock.attempt(path) { true } else { false }
    }

    private func refusal(_ path: String) -> Int32? {
        if case .impossible(let reason) = FileLock.attempt(path) { reason } else { nil }
    }
}

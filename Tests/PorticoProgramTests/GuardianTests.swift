import Foundation
import PorticoTestSupport
import Testing

@Suite("What tests leave behind")
struct GuardianTests {
    @Test("a program that a killed run has started is told to stop, and its folder goes")
    func ends() async throws {
        let sleep = URL(filePath: "/bin/sleep")
        let guardian = Guardian(of: sleep)
        let process = try ChildProgram(sleep.path, ["300"])
        guardian.watch(process)
        // Another program, whose number it might be by then.
        let input = Pipe()
        let other = try ChildProgram(
            "/bin/cat",
            input: input.fileHandleForReading.fileDescriptor
        )
        guardian.watch(other)
        #expect(FileManager.default.fileExists(atPath: guardian.folder.path))
        #expect(process.isRunning)

        guardian.endNow()
        for _ in 0..<1000 where process.isRunning || isThere(guardian) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(!process.isRunning)
        #expect(!isThere(guardian))
        #expect(other.isRunning)
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
    }

    private func isThere(_ guardian: Guardian) -> Bool {
        FileManager.default.fileExists(atPath: guardian.folder.path)
    }
}

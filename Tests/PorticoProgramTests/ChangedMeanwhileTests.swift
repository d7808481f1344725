import Foundation
import PorticoTestSupport
import Testing

@Suite("Two commands at once") struct ChangedMeanwhileTests {
    @Test("a client that is disabled while a person types its secret stays disabled")
    func disabled() async throws {
        let portico = try PorticoProcess()
        func run(_ arguments: [String]) throws -> PorticoProcess.Outcome {
            let outcome = try portico.run(arguments, input: "a secret that was chosen for a test")
            #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
            return outcome
        }
        _ = try run(["realm", "create", "acme", "--public-url", "https://id.example.com"])
        _ = try run(["client", "create", "shop", "--template", "service", "--secret-file", "-"])

        let pipe = portico.home.appending(path: "secret").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let typing = try portico.start(["client", "update", "shop", "--secret-file", pipe])
        let secret = try await Self.opened(pipe)
        _ = try run(["client", "update", "shop", "--disable-client"])
        RawPipe.write(secret, "another secret that was chosen")
        #expect(try await typing.ended() == 6)
        #expect(
            typing.stderr == """
                ✗ It was changed by another command in the meantime. (changed-meanwhile)
                  Nothing was changed. Look at it and try again.

                """
        )
        let shown = try run(["client", "show", "shop", "--json"])
        #expect(shown.stdout.contains(#""enabled":false"#))
    }

    /// The pipe's writing end, as soon as a program reads from it: then the command has looked at what
    /// it changes.
    private static func opened(_ path: String) async throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw PorticoProcess.TimedOut()
    }

    private enum RawPipe {
        static func write(_ descriptor: Int32, _ text: String) {
            let bytes = Array(text.utf8)
            _ = Foundation.write(descriptor, bytes, bytes.count)
            close(descriptor)
        }
    }
}

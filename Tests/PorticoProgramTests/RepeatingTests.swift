import Logging
import PorticoBytes
import Testing

@testable import PorticoProgram

@Suite("What goes on beside the requests") struct RepeatingTests {
    /// What was logged: levels, messages and metadata.
    private final class Recorder: LogHandler {
        struct Line: Sendable, Equatable {
            let level: Logger.Level
            let message: String
            let metadata: [String: String]
        }

        let lines = Locked<[Line]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set { _ = newValue }
        }
        var logLevel: Logger.Level {
            get { .trace }
            set { _ = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set { _ = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(
                level: event.level,
                message: event.message.description,
                metadata: (event.metadata ?? [:]).mapValues { "\($0)" }
            )
            lines.withLock { $0.append(line) }
        }
    }

    private struct Broken: Error {
        let secret = "what the error knows"
    }

    @Test(
        "a task that fails goes on, is logged when it begins to fail and when it works again",
        .timeLimit(.minutes(1))
    )
    func failing() async throws {
        let recorder = Recorder()
        let (calls, continuation) = AsyncStream<Int>.makeStream()
        let count = Locked(0)
        let task = Repeating(
            name: "purge",
            interval: .milliseconds(1),
            logger: Logger(label: "test") { _ in recorder }
        ) {
            let call = count.withLock { count in
                count += 1
                return count
            }
            continuation.yield(call)
            if (2...4).contains(call) { throw Broken() }
        }
        let running = Task { try await task.run() }
        for await call in calls where call == 8 { break }
        running.cancel()
        try await running.value
        #expect(
            recorder.lines.withLock { $0 } == [
                Recorder.Line(
                    level: .error,
                    message: "task failed",
                    metadata: ["task": "purge", "kind": "Broken"]
                ),
                Recorder.Line(
                    level: .notice,
                    message: "works again",
                    metadata: ["task": "purge"]
                ),
            ]
        )
    }
}

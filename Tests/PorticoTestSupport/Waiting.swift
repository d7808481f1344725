import Foundation

/// Blocks its thread, as a call of the system does, until a test says so: a minute at most.
package func waitBlocked(_ isSo: () -> Bool) {
    let end = ContinuousClock.now + .seconds(60)
    while !isSo(), ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.002) }
}

/// Waits for a condition without a notification: another process's work, a line in a log.
///
/// Nothing waits for ever: a test fails, and does not hang.
///
/// - Parameter what: Said where it does not come about.
/// - Throws: ``RunningProgram/TimedOut``, and what `isSo` throws.
package func waitUntil(
    _ what: String,
    within seconds: Double = 60,
    isolation: isolated (any Actor)? = #isolation,
    _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        guard ContinuousClock.now < end else {
            throw RunningProgram.TimedOut(description: "not within \(seconds) s: \(what)")
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

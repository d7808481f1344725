// Of PorticoTestSupport, what the fake provider and its scene need: the whole of it links the
// server.

package struct TimedOut: Error {
    package let what: String
}

/// As its namesake in Tests/PorticoTestSupport.
package func waitUntil(
    _ what: String,
    isolation: isolated (any Actor)? = #isolation,
    _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !isSo() {
        guard ContinuousClock.now < end else { throw TimedOut(what: what) }
        try await Task.sleep(for: .milliseconds(2))
    }
}

import Portico
import PorticoSystem
import PorticoTesting

/// Runs what a test of an app does, from a new fake provider to a session, and prints how long one
/// takes: the median of 200, and the first, which loads and prepares everything.
@main struct SignInCost {
    static func main() async throws {
        for (name, body) in [("provider", atProvider), ("backend", atBackend)] {
            var times: [Duration] = []
            for _ in 0..<200 {
                let start = ContinuousClock.now
                try await body()
                times.append(ContinuousClock.now - start)
            }
            let first = times[0]
            times.sort()
            print("\(name): \(milliseconds(times[100])) ms each; \(milliseconds(first)) the first")
        }
    }

    /// Signs in, restores, refreshes after two hours, calls an API and signs out.
    private static let atProvider: @Sendable () async throws -> Void = {
        let fake = FakeProvider(people: [.ann(roles: ["editor"])])
        let storage = InMemory()
        let client = SignInClient.testing(fake, storage: storage)
        let session = try await client.signIn()
        guard session.roles.contains("editor"),
            case .signedIn(let restored) = await SignInClient.testing(fake, storage: storage)
                .restore()
        else { throw SignInError(.interactionRequired(.signedOut)) }
        fake.clock.advance(by: .hours(2))
        _ = try await restored.token()
        _ = try await restored.userInfo()
        await restored.signOut()
    }

    private static let atBackend: @Sendable () async throws -> Void = {
        let fake = FakeBackend()
        let session = try await BackendClient.testing(fake).signIn(with: "google")
        fake.clock.advance(by: .hours(2))
        try await session.check()
        await session.signOut()
    }

    private static func milliseconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return "\(Double(microseconds) / 1000)"
    }
}

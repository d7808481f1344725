import Portico
import PorticoSystem
import PorticoTesting

/// Runs what a test of an app does, from a new fake to a session, and prints how long one takes: the
/// median of 200, and the first, which loads and prepares everything.
@main struct SignInCost {
    static func main() async throws {
        let tests = [
            ("a sign-in", signIn),
            ("a sign-in, a restart, a refresh, UserInfo, a sign-out", life),
            ("a sign-in behind a backend, a refresh, a check, a sign-out", atBackend),
        ]
        for (name, body) in tests {
            var times: [Duration] = []
            for _ in 0..<200 {
                let start = ContinuousClock.now
                try await body()
                times.append(ContinuousClock.now - start)
            }
            let first = times[0]
            times.sort()
            print("\(name): \(milliseconds(times[100])) ms each, \(milliseconds(first)) the first")
        }
    }

    private static let signIn: @Sendable () async throws -> Void = {
        let fake = FakeProvider(people: [.ann(roles: ["editor"])])
        let session = try await SignInClient.testing(fake).signIn()
        guard session.roles.contains("editor") else { throw SignInError(.denied) }
    }

    private static let life: @Sendable () async throws -> Void = {
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

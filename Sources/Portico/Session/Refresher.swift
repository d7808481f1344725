import PorticoBytes
import PorticoProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a caller needs of a refresh.
enum RefreshGoal: Sendable {
    /// A token that is good for so many seconds.
    case freshness(TimeInterval)
    /// Another token than this one, which a server called invalid.
    case replacement(of: SecretText)
}

/// Lets one refresh of a session run at a time, for whoever wants it.
///
/// A refresh belongs to nobody: once begun it runs to its end and its result is stored, even if
/// every caller was cancelled. A rotation that was cut off would cost the session.
actor Refresher<Owner: KeptSession> {
    private typealias Running = Task<Result<Owner.Record, SignInError>, Never>

    private var running: Running?

    func record(of session: Owner, for goal: RefreshGoal) async throws(SignInError)
        -> Owner.Record
    {
        if case .replacement(let used) = goal {
            // An older refresh may find the very token that is to be replaced: no joining it. Its
            // failure is not ours.
            while let running {
                let result = try await running.valueUnlessCancelled()
                if case .success(let record) = result, record.accessToken != used { return record }
            }
            let record = try session.activeRecord()
            if record.accessToken != used { return record }
        }
        let running = running ?? start(session, goal)
        return try await running.valueUnlessCancelled().get()
    }

    private func start(_ session: Owner, _ goal: RefreshGoal) -> Running {
        let task = Running {
            let result = await session.refresh(for: goal)
            running = nil
            return result
        }
        running = task
        return task
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// The result that a caller needs from a refresh.
enum RefreshGoal: Sendable {
    /// A token that is as fresh as this.
    case freshness(Freshness)
    /// A different token from this one, which a server refused as invalid.
    case replacement(of: SecretText)
}

/// Runs one refresh of a session at a time, for any number of callers.
///
/// A refresh does not belong to a caller: once begun, it completes and its result is stored, even
/// if every caller was cancelled. Interrupting a rotation would lose the session.
actor Refresher<Owner: KeptSession> {
    private typealias Running = Task<Result<Owner.Record, SignInError>, Never>

    private var running: Running?

    func record(of session: Owner, for goal: RefreshGoal) async throws(SignInError)
        -> Owner.Record
    {
        if case .replacement(let used) = goal {
            // An older refresh may return the very token that is to be replaced, so it cannot be
            // joined. Its failure does not concern this caller.
            while let running {
                let result = try await running.valueUnlessCancelled()
                if case .success(let record) = result, record.accessToken != used { return record }
            }
            let record = try session.activeRecord()
            if record.accessToken != used { return record }
        } else if case .freshness(let wanted) = goal, let running {
            // One that runs may have asked for less, and found it stored by another process.
            let record = try await running.valueUnlessCancelled().get()
            if record.isFresh(wanted, at: session.now()) { return record }
            try record.checkLife(for: wanted)
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

/// Ends a session locally, whatever happens at the server.
extension KeptSession {
    /// The record as stored: another process may have refreshed since, so its refresh token is
    /// current.
    func latestRecord() async -> Record? {
        // `try?`: an unreadable storage is no reason to stay signed in.
        guard let current = try? activeRecord(),
            let stored = try? await storage.record() as Record?, stored.isOf(current)
        else { return nil }
        return stored
    }

    /// What a refresh got and could not store: newer than anything stored.
    func takeUnwritten(of record: Record?) -> Record? {
        guard let record, let kept = unwritten.result(of: record) else { return nil }
        unwritten.drop(of: record)
        return kept.record
    }

    /// Removes the stored record under the lock: another sign-in may be about to take its place.
    /// While a refresh has the lock, the record is removed at once, and again after it.
    func clearStorage(of record: Record?) async -> SignInError? {
        guard let record else { return nil }
        do throws(SignInError) {
            if try await removeUnderLock(record, patience: .zero) { return nil }
            try await removeStored(record)
            // A process that holds the lock for this long reads the storage again before it writes.
            _ = try await removeUnderLock(record, patience: .seconds(5))
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: Whether the lock was free in time, and held to the end.
    private func removeUnderLock(_ record: Record, patience: Duration)
        async throws(SignInError) -> Bool
    {
        let lock: SessionLock
        do throws(SignInError) {
            lock = try await storage.lock(patience: patience)
        } catch {
            return false
        }
        defer { lock.release() }
        do throws(SignInError) {
            try await lock.hold { () throws(SignInError) in try await removeStored(record) }
            return true
        } catch {
            guard case .transient(.suspending, _) = error.kind else { throw error }
            return false
        }
    }

    /// Removes this sign-in's record only: another sign-in may have begun.
    private func removeStored(_ record: Record) async throws(SignInError) {
        guard let bytes = try await storage.read() else { return }
        if let stored = try Record.reading(bytes), !stored.isOf(record) { return }
        try await storage.remove()
    }
}

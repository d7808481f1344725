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

    /// Removes the stored record at once, and again under the lock: another process may have been
    /// about to write a refresh.
    func clearStorage(of record: Record?) async -> SignInError? {
        guard let record else { return nil }
        do throws(SignInError) {
            try await removeStored(record)
            let lock: SessionLock
            do throws(SignInError) {
                lock = try await storage.lock(patience: .seconds(5))
            } catch {
                // A process that holds the lock for this long reads the storage again before it
                // writes.
                return nil
            }
            defer { lock.release() }
            try await lock.hold { () throws(SignInError) in try await removeStored(record) }
            return nil
        } catch {
            return error
        }
    }

    /// Removes this sign-in's record only: another sign-in may have begun.
    private func removeStored(_ record: Record) async throws(SignInError) {
        guard let bytes = try await storage.read() else { return }
        if let stored = try Record.reading(bytes), !stored.isOf(record) { return }
        try await storage.remove()
    }
}

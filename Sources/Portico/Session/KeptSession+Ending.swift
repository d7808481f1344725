/// The end of a session here, whatever becomes of it at the server.
extension KeptSession {
    /// As stored: another process may have refreshed since, and its refresh token is the live one.
    func latestRecord() async -> Record? {
        // `try?`: what cannot be read is no reason to stay signed in.
        guard let current = try? activeRecord(),
            let bytes = try? await storage.read(),
            let stored = Record(bytes), stored.isOf(current)
        else { return nil }
        return stored
    }

    /// Removes at once what is stored, and once more under the lock: a refresh in another process
    /// may have been about to write.
    func clearStorage(of record: Record?) async -> SignInError? {
        guard let record else { return nil }
        do throws(SignInError) {
            try await removeStored(record)
            let lock: SessionLock
            do throws(SignInError) {
                lock = try await storage.lock(patience: .seconds(5))
            } catch {
                // Whoever holds it for so long reads the storage again before it writes.
                return nil
            }
            defer { lock.release() }
            try await removeStored(record)
            return nil
        } catch {
            return error
        }
    }

    /// Only this sign-in's record: another may have begun.
    private func removeStored(_ record: Record) async throws(SignInError) {
        guard let bytes = try await storage.read() else { return }
        if let stored = Record(bytes), !stored.isOf(record) { return }
        try await storage.remove()
    }
}

import PorticoBackend
import PorticoBytes
import PorticoStores

/// Sessions by handle that end when we become a client with keys, or one without: hosts take tokens
/// from the kind of client that they gave them to.
struct EndedHandleSessions {
    let areConfidential: Bool
    let count: Int64

    var words: String { count.counting("session") }

    /// - Parameter isMeant: Whether the option was given.
    func check(_ isMeant: Bool) throws(Failure) {
        guard count == 0 || isMeant else {
            throw Failure(
                .confirmationMissing,
                "\(words) by handle would end: people sign in again.",
                "Nothing was changed. To go on, add: --end-sessions"
            )
        }
    }
}

extension Administration {
    /// - Returns: `nil` where no session ends, whatever there are.
    func sessionsEnded(by record: ProviderRecord, replacing former: ProviderRecord) async throws
        -> EndedHandleSessions?
    {
        guard record.kind == HandleProvider.kind, let before = isConfidential(former),
            let after = isConfidential(record), before != after
        else { return nil }
        return EndedHandleSessions(
            areConfidential: before,
            count: try await installation.handles.count(confidential: before)
        )
    }

    /// Where we become a client with keys: for minutes hosts may have a document of ours without them,
    /// and a key that we used before is as unknown to them as a new one (ATP-CA-5).
    func publishFirstHandleKey() async throws {
        let store = installation.backend
        for key in try await backend().handleKeys where key.withdrawnAt == nil {
            _ = try await store.withdrawHandleKey(key.keyID, at: moment.seconds)
        }
        try await store.add(.next(ring: installation.ring, at: moment))
    }

    /// By the setting, whichever client we are at the address that this command happens to know;
    /// `nil` where the settings are not usable.
    private func isConfidential(_ record: ProviderRecord) -> Bool? {
        // `try?`: a record that cannot be used makes us no client at all.
        (try? HandleProvider(record, identityRules))?.isConfidential
    }
}

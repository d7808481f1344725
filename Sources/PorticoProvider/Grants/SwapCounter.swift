import PorticoBytes
package import PorticoStores

/// What became of old tokens, counted until it is written for `portico events swaps`.
///
/// As many counts are kept as there are clients and outcomes, whatever strangers send.
package final class SwapCounter: Sendable {
    /// What the operator reads, besides the reasons of refusals.
    enum Outcome: String {
        case swapped
        case repeated
        case usedAgain = "used_again"
    }

    private struct Key: Hashable {
        let realmID: String
        let clientID: String
        let outcome: String
    }

    private let waiting = Locked<[Key: SwapCount]>([:])

    func note(_ outcome: Outcome, of client: Client, at now: Int64) {
        note(outcome.rawValue, of: client, at: now)
    }

    func note(_ reason: SwapRefusal.Reason, of client: Client, at now: Int64) {
        note(reason.rawValue, of: client, at: now)
    }

    private func note(_ outcome: String, of client: Client, at now: Int64) {
        add(
            SwapCount(
                realmID: client.realmID,
                clientID: client.clientID,
                outcome: outcome,
                count: 1,
                lastAt: now
            )
        )
    }

    /// Writes what is waiting. If that fails, it keeps waiting.
    package func flush(into grants: GrantStore) async throws {
        let counts = waiting.withLock { waiting in
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        guard !counts.isEmpty else { return }
        do {
            try await grants.count(counts)
        } catch {
            for count in counts { add(count) }
            throw error
        }
    }

    private func add(_ count: SwapCount) {
        let key = Key(realmID: count.realmID, clientID: count.clientID, outcome: count.outcome)
        waiting.withLock { waiting in
            guard var kept = waiting[key] else {
                waiting[key] = count
                return
            }
            kept.count += count.count
            kept.lastAt = max(kept.lastAt, count.lastAt)
            waiting[key] = kept
        }
    }
}

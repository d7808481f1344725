import PorticoBytes

/// The result of a refresh that the storage did not take, kept for all sessions of a client.
///
/// What is stored instead is spent, and a provider that sees it again ends the session (RFC 9700
/// §4.14.2). So the result stays in memory and is written before anything else is tried. Another
/// process that refreshes before that presents the spent one: only a server that knows
/// `Idempotency-Key` answers it.
final class UnwrittenRecord<Record: KeptRecord>: Sendable {
    private struct Kept {
        let record: Record
        let replaced: SecretText?
    }

    private let kept = Locked<Kept?>(nil)

    /// - Parameter token: The refresh token that is stored instead.
    func keep(_ record: Record, replacing token: SecretText?) {
        kept.withLock { $0 = Kept(record: record, replaced: token) }
    }

    /// The result of the same sign-in as `record`, and the refresh token that is stored instead.
    func result(of record: Record) -> (record: Record, replaced: SecretText?)? {
        kept.withLock { kept in
            kept.flatMap { $0.record.isOf(record) ? ($0.record, $0.replaced) : nil }
        }
    }

    /// The result of the same sign-in as `record` is written, or will never be.
    func drop(of record: Record) {
        kept.withLock { kept in
            if kept?.record.isOf(record) == true { kept = nil }
        }
    }
}

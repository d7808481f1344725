import PorticoBytes

/// The addresses that names had lately, for when no more names can be looked up: hosts that are asked
/// all the time must not wait for names that never resolve. They are checked each time.
final class LatestAddresses: Sendable {
    private struct Entry {
        let addresses: [[UInt8]]
        let foundAt: ContinuousClock.Instant
    }

    private static let most = 4096
    /// Of a name; one that has more is looked up each time.
    private static let mostAddresses = 16
    private static let life = Duration.seconds(3600)

    private let entries = Locked<[Hash256: Entry]>([:])

    func keep(_ addresses: [[UInt8]], of name: String) {
        guard 1...Self.mostAddresses ~= addresses.count else { return }
        let key = Hash256(of: name)
        let entry = Entry(addresses: addresses, foundAt: .now)
        entries.withLock { entries in
            // Clearing all at once is coarse but rare.
            if entries.count >= Self.most { entries = [:] }
            entries[key] = entry
        }
    }

    /// - Returns: `nil` if it was not looked up within the hour.
    func addresses(of name: String) -> [[UInt8]]? {
        let key = Hash256(of: name)
        guard let entry = entries.withLock({ $0[key] }),
            ContinuousClock.now - entry.foundAt < Self.life
        else { return nil }
        return entry.addresses
    }
}

import NIOCore
import PorticoBytes

/// How many connections there may be at one time.
///
/// When all are taken, a new one takes the place of the one that has waited longest for a request:
/// a crowd of silent connections keeps nobody out, for it only pushes out its own.
final class ConnectionBudget: Sendable {
    struct Place: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry {
        let channel: any Channel
        var waitingSince: NIODeadline?
    }

    private struct State {
        var next = 0
        var entries: [Place: Entry] = [:]
    }

    private let maximum: Int
    private let state = Locked(State())

    init(maximum: Int) {
        self.maximum = maximum
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// A place for a new connection, or `nil` where every connection is busy with a request.
    func take(_ channel: any Channel, at now: NIODeadline) -> Place? {
        var evicted: (any Channel)?
        let place: Place? = state.withLock { state in
            if state.entries.count >= maximum {
                guard let oldest = Self.longestWaiting(state.entries) else { return nil }
                evicted = state.entries.removeValue(forKey: oldest)?.channel
            }
            let place = Place(number: state.next)
            state.next &+= 1
            state.entries[place] = Entry(channel: channel, waitingSince: now)
            return place
        }
        evicted?.close(promise: nil)
        return place
    }

    /// The connection has a whole request and works on it: it is not pushed out.
    func isBusy(_ place: Place) {
        state.withLock { $0.entries[place]?.waitingSince = nil }
    }

    func isWaiting(_ place: Place, since now: NIODeadline) {
        state.withLock { $0.entries[place]?.waitingSince = now }
    }

    func give(back place: Place) {
        state.withLock { _ = $0.entries.removeValue(forKey: place) }
    }

    private static func longestWaiting(_ entries: [Place: Entry]) -> Place? {
        var oldest: (place: Place, since: NIODeadline)?
        for (place, entry) in entries {
            guard let since = entry.waitingSince else { continue }
            if let known = oldest, known.since <= since { continue }
            oldest = (place, since)
        }
        return oldest?.place
    }
}

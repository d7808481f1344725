import NIOCore
import PorticoBytes

/// How many connections there may be at one time, and how much of unfinished requests they may keep.
///
/// When all are taken, a new one takes the place of the one whose peer has been waited for longest, for a
/// request, or to read its answer: a crowd of silent connections keeps nobody out, for it only pushes
/// out its own. Of unfinished requests, of which each may grow to a whole one, there is room for a number of
/// bytes in all; beyond it one more makes the one give way that has been waited for longest.
final class ConnectionBudget: Sendable {
    struct Place: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry {
        let channel: any Channel
        var waitingSince: NIODeadline?
        /// Bytes of an unfinished request.
        var kept = 0
    }

    private struct State {
        var next = 0
        var entries: [Place: Entry] = [:]
        var kept = 0

        mutating func remove(_ place: Place) -> (any Channel)? {
            guard let entry = entries.removeValue(forKey: place) else { return nil }
            kept -= entry.kept
            return entry.channel
        }

        mutating func keep(_ bytes: Int, at place: Place) {
            guard let before = entries[place]?.kept else { return }
            kept += bytes - before
            entries[place]?.kept = bytes
        }
    }

    private let maximum: Int
    private let bytes: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - maximum: Connections.
    ///   - bytes: Of unfinished requests.
    init(maximum: Int, bytes: Int = .max) {
        self.maximum = maximum
        self.bytes = bytes
    }

    /// Ends every connection, whatever it is at.
    func closeAll() {
        let channels = state.withLock { $0.entries.values.map(\.channel) }
        for channel in channels { channel.close(promise: nil) }
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Bytes of unfinished requests.
    var kept: Int { state.withLock { $0.kept } }

    /// A place for a new connection, or `nil` where every connection is busy with a request.
    func take(_ channel: any Channel, at now: NIODeadline) -> Place? {
        var evicted: (any Channel)?
        let place: Place? = state.withLock { state in
            if state.entries.count >= maximum {
                guard let oldest = Self.longestWaiting(state.entries) else { return nil }
                evicted = state.remove(oldest)
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
        state.withLock { state in
            state.entries[place]?.waitingSince = nil
            state.keep(0, at: place)
        }
    }

    /// So many bytes of an unfinished request are kept for the connection.
    func keeps(_ count: Int, at place: Place) {
        let evicted: (any Channel)? = state.withLock { state in
            state.keep(count, at: place)
            guard state.kept > bytes,
                let oldest = Self.longestWaiting(state.entries, keeping: 1)
            else { return nil }
            return state.remove(oldest)
        }
        evicted?.close(promise: nil)
    }

    func isWaiting(_ place: Place, since now: NIODeadline) {
        state.withLock { $0.entries[place]?.waitingSince = now }
    }

    func give(back place: Place) {
        state.withLock { _ = $0.remove(place) }
    }

    /// - Parameter least: How many bytes of an unfinished request one must keep at least.
    private static func longestWaiting(_ entries: [Place: Entry], keeping least: Int = 0) -> Place?
    {
        var oldest: (place: Place, since: NIODeadline)?
        for (place, entry) in entries where entry.kept >= least {
            guard let since = entry.waitingSince else { continue }
            if let known = oldest, known.since <= since { continue }
            oldest = (place, since)
        }
        return oldest?.place
    }
}

extension ConnectionLimits {
    /// Bytes of unfinished requests, of all connections together. A request is unfinished for
    /// milliseconds, unless its peer takes its time.
    var unfinished: Int { max(16 * 1024 * 1024, body * 32) }
}

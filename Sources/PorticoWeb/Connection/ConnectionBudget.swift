import NIOCore
import PorticoBytes

/// Limits the connections at one time, and the bytes of unfinished requests that they may hold.
///
/// When all places are taken, a new connection replaces the one that has waited longest for its
/// peer, to send a request or to read its answer: many silent connections do not keep others out,
/// because each new one only replaces another of them. Unfinished requests, each of which may grow
/// to a whole one, share a number of bytes; beyond it, the connection that has waited longest is
/// closed.
final class ConnectionBudget: Sendable {
    struct Place: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry {
        let channel: any Channel
        var waitingSince: NIODeadline?
        /// Bytes held of an unfinished request.
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
    ///   - maximum: The most connections.
    ///   - bytes: The most bytes of unfinished requests.
    init(maximum: Int, bytes: Int = .max) {
        self.maximum = maximum
        self.bytes = bytes
    }

    /// Closes every connection, whatever its state.
    func closeAll() {
        let channels = state.withLock { $0.entries.values.map(\.channel) }
        for channel in channels { channel.close(promise: nil) }
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Bytes held of unfinished requests.
    var kept: Int { state.withLock { $0.kept } }

    /// Takes a place for a new connection; `nil` if every connection is busy with a request.
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

    /// Marks the connection as working on a whole request: it is not replaced.
    func isBusy(_ place: Place) {
        state.withLock { state in
            state.entries[place]?.waitingSince = nil
            state.keep(0, at: place)
        }
    }

    /// Records how many bytes of an unfinished request the connection holds.
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

    /// - Parameter least: The fewest bytes of an unfinished request that a candidate must hold.
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
    /// The limit for bytes of unfinished requests on all connections together. A request is
    /// unfinished for milliseconds, unless its peer is slow.
    var unfinished: Int { max(16 * 1024 * 1024, body * 32) }
}

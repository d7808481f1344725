import PorticoBytes

/// Remembers which authorization requests were answered with a code: a `request_uri` that is opened
/// again gives no second one (RFC 9126 §7.3), and a form that is submitted again is a new request
/// (docs/decisions/0104).
///
/// It is in memory, because authorization requests write nothing, and it never forgets a request
/// that could still be answered: ids of 16 bytes, ``standardMost`` of them, in less than 8 MB. Only
/// signed-in people can fill it. When it is full, the ids of the oldest second are removed, and
/// every request from that second or before counts as answered from then on: its page restarts with
/// one button.
///
/// A restart clears it, and processes do not share it: the redemption alone then ensures one code
/// for each request (``GrantStore/redeem(_:requestID:spending:at:)``).
final class SpentRequests: Sendable {
    /// The maximum age of a request that is answered, and how long one is remembered, in seconds:
    /// longer than a page waits (``AuthorizationFlow/patience``). A pushed request restarts with
    /// the same id, and has this long in total.
    static let lifetime: Int64 = 3600
    static let standardMost = 131_072

    /// An id without the array that holds it.
    private struct Key: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ id: UniqueID) {
            high = UInt64(bigEndianBytes: id.bytes.prefix(8))
            low = UInt64(bigEndianBytes: id.bytes.suffix(8))
        }

        /// The time of the request: ids of requests begin with it (RFC 9562 §5.7).
        var second: Int64 { Int64(high >> 16) / 1000 }
    }

    private struct Answered: Sendable {
        var bySecond: [Int64: Set<Key>] = [:]
        var count = 0
        /// Requests from this second or before count as answered.
        var full = Int64.min
        /// The last second in which old entries were removed.
        var swept = Int64.min

        func has(_ key: Key, at now: Int64) -> Bool {
            key.second <= max(full, now - SpentRequests.lifetime)
                || bySecond[key.second]?.contains(key) ?? false
        }

        mutating func sweep(at now: Int64) {
            guard swept != now else { return }
            swept = now
            for old in bySecond.keys.filter({ $0 <= now - SpentRequests.lifetime }) { remove(old) }
        }

        mutating func remove(_ second: Int64) {
            count -= bySecond.removeValue(forKey: second)?.count ?? 0
        }
    }

    private let most: Int
    private let answered = Locked(Answered())
    /// The browsers that answered pushed requests lately, by the hashes of their form cookies.
    private let browsers = Locked(TwoGenerations<Key, [Hash256]>(capacity: 16_384))

    init(most: Int = standardMost) {
        self.most = max(1, most)
    }

    /// Whether a request can no longer get a code: it had one, or is too old.
    func isSpent(_ id: UniqueID, at now: Int64) -> Bool {
        let key = Key(id)
        return answered.withLock { $0.has(key, at: now) }
    }

    /// Records that a request gets its code now.
    ///
    /// - Returns: `false` if it can no longer get one: of any number of calls for a request, at
    ///   most one returns `true`.
    func spend(_ id: UniqueID, at now: Int64) -> Bool {
        let key = Key(id)
        return answered.withLock { answered in
            answered.sweep(at: now)
            guard !answered.has(key, at: now) else { return false }
            answered.bySecond[key.second, default: []].insert(key)
            answered.count += 1
            if answered.count > most, let oldest = answered.bySecond.keys.min() {
                answered.remove(oldest)
                answered.full = max(answered.full, oldest)
            }
            return true
        }
    }

    /// Makes a pushed request the browser's that answers it: no other may from then on.
    ///
    /// - Parameter browser: ``AuthorizationFlow/browsers``.
    /// - Returns: `false` where another has answered it.
    func claim(_ id: UniqueID, for browser: [Hash256]) -> Bool {
        let key = Key(id)
        return browsers.withLock { browsers in
            if let others = browsers[key], !others.contains(where: browser.contains) {
                return false
            }
            browsers.insert(browser, for: key)
            return true
        }
    }

    /// - Returns: `nil` where none is known to have answered it.
    func browsers(thatAnswered id: UniqueID) -> [Hash256]? {
        let key = Key(id)
        return browsers.withLock { $0[key] }
    }

    var remembered: Int { answered.withLock { $0.count } }
}

import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol

/// How many calls each account has under way, until their answers are sent.
///
/// Anyone can run a host: one that never answers must not use up what all calls share. Nor may a
/// person with many sessions, at a host or at a team's own API.
final class AccountCalls: Sendable {
    /// Apps start many at once.
    static let most = 20

    private let counts = Locked<[UniqueID: Int]>([:])

    /// One call; it ends with the last reference.
    final class Place: Sendable {
        private let calls: AccountCalls
        private let account: UniqueID

        fileprivate init(_ calls: AccountCalls, _ account: UniqueID) {
            self.calls = calls
            self.account = account
        }

        deinit {
            calls.end(account)
        }
    }

    /// - Returns: `nil` if the account has reached its limit.
    func begin(_ account: UniqueID) -> Place? {
        let isFree = counts.withLock { counts in
            guard counts[account, default: 0] < Self.most else { return false }
            counts[account, default: 0] += 1
            return true
        }
        return isFree ? Place(self, account) : nil
    }

    private func end(_ account: UniqueID) {
        counts.withLock { counts in
            let left = counts[account, default: 1] - 1
            counts[account] = left > 0 ? left : nil
        }
    }
}

/// An account has reached its limit of calls. Apps of the AT Protocol know this error by this name
/// (XRPC, Error Responses).
struct TooManyCalls: Refusal {
    var name: String { "RateLimitExceeded" }
    var status: HTTPResponse.Status { .tooManyRequests }
    var retryAfter: Double? { 1 }
    var issue: ErrorPage.Issue { .tooManyTries(seconds: 1) }

    var json: JSONValue? {
        ["error": .string(name), "message": "This account has too many calls under way."]
    }
}

package import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// The requests to the stand-in of a host, for tests of what must be requested and what must not.
///
/// It holds codes, tokens and assertions as received: all of them are invented.
package final class ATHostLog: Sendable {
    package struct Entry: Sendable {
        package let endpoint: ATHostEndpoint
        package let method: HTTPRequest.Method
        /// Path and query as received.
        package let target: String
        package let headers: HTTPFields
        /// Of a form.
        package let form: FormParameters
        /// Of the body, in bytes.
        package let size: Int
    }

    /// The most entries; older ones are dropped.
    private static let limit = 2000

    private let entries = Locked<[Entry]>([])

    /// In the order received.
    package var all: [Entry] { entries.withLock { $0 } }

    package func requests(to endpoint: ATHostEndpoint) -> [Entry] {
        all.filter { $0.endpoint == endpoint }
    }

    package func count(_ endpoint: ATHostEndpoint) -> Int { requests(to: endpoint).count }

    /// How often a refresh token was sent.
    package var refreshes: Int {
        requests(to: .token).count { $0.form["grant_type"] == "refresh_token" }
    }

    package func clear() {
        entries.withLock { $0 = [] }
    }

    func append(_ entry: Entry) {
        entries.withLock { entries in
            if entries.count >= Self.limit { entries.removeFirst(Self.limit / 2) }
            entries.append(entry)
        }
    }
}

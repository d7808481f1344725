package import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// The requests to the stand-ins, for tests of what must be requested and what must not.
///
/// It holds codes, tokens and secrets as received: all of them are invented.
package final class StandInLog: Sendable {
    /// One request that reached an endpoint.
    package struct Entry: Sendable {
        package let kind: StandInKind
        package let endpoint: StandInEndpoint
        package let method: HTTPRequest.Method
        /// From the query.
        package let query: FormParameters
        /// From the body.
        package let form: FormParameters
        package let authentication: Authentication
        /// The token of `Authorization: Bearer`.
        package let bearer: String?
        package let headers: HTTPFields

        /// A parameter, from the body or otherwise from the query.
        package subscript(name: String) -> String? { form[name] ?? query[name] }
    }

    /// How a client authenticated (OpenID Connect Core §9).
    package enum Authentication: String, Hashable, Sendable {
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case assertion = "private_key_jwt"
    }

    /// The most entries; older ones are dropped.
    private static let limit = 2000

    private let entries = Locked<[Entry]>([])

    /// In the order received.
    package var all: [Entry] { entries.withLock { $0 } }

    package func requests(to endpoint: StandInEndpoint, at kind: StandInKind) -> [Entry] {
        all.filter { $0.endpoint == endpoint && $0.kind == kind }
    }

    package func count(_ endpoint: StandInEndpoint, at kind: StandInKind) -> Int {
        requests(to: endpoint, at: kind).count
    }

    /// How many requests servers made: none if an answer was refused in time.
    package var serverCalls: Int { all.count { $0.endpoint.isForServers } }

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

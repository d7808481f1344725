package import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// What the stand-ins were asked, for tests that say what must be asked and what must not.
///
/// Codes, tokens and secrets are in it as they came: all of them are made up here.
package final class StandInLog: Sendable {
    /// One request that reached an endpoint.
    package struct Entry: Sendable {
        package let kind: StandInKind
        package let endpoint: StandInEndpoint
        package let method: HTTPRequest.Method
        /// Of the query.
        package let query: FormParameters
        /// Of the body.
        package let form: FormParameters
        package let authentication: Authentication
        /// The token of `Authorization: Bearer`.
        package let bearer: String?
        package let headers: HTTPFields

        /// A parameter, from the body or else from the query.
        package subscript(name: String) -> String? { form[name] ?? query[name] }
    }

    /// How a client said who it is (OpenID Connect Core §9).
    package enum Authentication: String, Hashable, Sendable {
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case assertion = "private_key_jwt"
    }

    /// Older entries go when there are more.
    private static let limit = 2000

    private let entries = Locked<[Entry]>([])

    /// In the order in which they came.
    package var all: [Entry] { entries.withLock { $0 } }

    package func requests(to endpoint: StandInEndpoint, at kind: StandInKind) -> [Entry] {
        all.filter { $0.endpoint == endpoint && $0.kind == kind }
    }

    package func count(_ endpoint: StandInEndpoint, at kind: StandInKind) -> Int {
        requests(to: endpoint, at: kind).count
    }

    /// How many requests came that a server makes: none where an answer was refused in time.
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

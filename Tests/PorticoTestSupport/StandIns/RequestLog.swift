package import HTTPTypes
import NIOCore
import PorticoBytes
package import PorticoProtocol
package import PorticoStandIns
import PorticoWeb

/// The requests to a stand-in, for tests of what must be requested and what must not.
///
/// It holds codes, tokens and secrets as received: all of them are invented.
package final class RequestLog<Entry: Sendable>: Sendable {
    private let entries = Locked<[Entry]>([])

    package init() {}

    /// In the order received.
    package var all: [Entry] { entries.withLock { $0 } }

    package func clear() {
        entries.withLock { $0 = [] }
    }

    func append(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
    }
}

extension RequestLog<StandInCall> {
    package func requests(to endpoint: StandInEndpoint, at kind: StandInKind) -> [StandInCall] {
        all.filter { $0.endpoint == endpoint && $0.kind == kind }
    }

    package func count(_ endpoint: StandInEndpoint, at kind: StandInKind) -> Int {
        requests(to: endpoint, at: kind).count
    }

    /// How many requests servers made: none if an answer was refused in time.
    package var serverCalls: Int { all.count { $0.endpoint.isForServers } }
}

extension StandInEndpoint {
    /// Whether servers call it, and not browsers.
    var isForServers: Bool { self != .authorization && self != .picture }
}

extension RequestLog<ATHostCall> {
    package func requests(to endpoint: ATHostEndpoint) -> [ATHostCall] {
        all.filter { $0.endpoint == endpoint }
    }

    package func count(_ endpoint: ATHostEndpoint) -> Int { requests(to: endpoint).count }

    /// How often a refresh token was sent.
    package var refreshes: Int {
        requests(to: .token).count { $0.form["grant_type"] == "refresh_token" }
    }
}

extension ATHostCall {
    package var method: HTTPRequest.Method { request.method }

    package var headers: HTTPFields { request.headers }

    /// Path and query as received.
    package var target: String { request.head.path ?? "" }

    /// Of the body, in bytes.
    package var size: Int { request.body.readableBytes }

    /// Empty for a body that is no form.
    package var form: FormParameters {
        // `try?`: the host judges it.
        (try? FormParameters(body: request)) ?? FormParameters()
    }
}

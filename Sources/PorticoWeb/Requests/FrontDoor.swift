import HTTPTypes
package import Hummingbird
package import PorticoBytes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A request that has come in by the front door: under a configured name, confidential as far as
/// can be told, and for a canonical path.
package struct Arrival: Sendable {
    package let request: Request
    package let target: RequestTarget
    package let client: ClientAddress
    package let id: RequestID
}

/// An answer, and what the access log says of it.
package struct Answered: Sendable {
    package var response: Response
    package var realm: String?
    package var clientID: String?
    /// The code of an error: `invalid_grant`.
    package var error: String?

    package init(_ response: Response) {
        self.response = response
    }
}

/// What every request passes before anything is routed: which host it names, whether it could be
/// read on the way, whether its path is one (docs/decisions/0036); and what every answer passes:
/// one line in the log.
package struct FrontDoor: HTTPResponder {
    package typealias Context = WebContext

    private let guarding: HostGuard
    private let proxies: TrustedProxies
    private let headers: SecurityHeaders
    private let log: AccessLog
    private let now: @Sendable () -> Date
    private let random: RandomSource
    private let routes: @Sendable (Arrival) async -> Answered

    /// - Parameter routes: Answers every arrival, also where nothing is.
    package init(
        guarding: HostGuard,
        proxies: TrustedProxies,
        headers: SecurityHeaders,
        log: AccessLog,
        now: @escaping @Sendable () -> Date,
        random: RandomSource,
        routes: @escaping @Sendable (Arrival) async -> Answered
    ) {
        self.guarding = guarding
        self.proxies = proxies
        self.headers = headers
        self.log = log
        self.now = now
        self.random = random
        self.routes = routes
    }

    package func respond(to request: Request, context: WebContext) async -> Response {
        let start = ContinuousClock.now
        let id = RequestID(random: random)
        let client = ClientAddress(
            peer: context.peer,
            headers: request.headers,
            trusting: proxies
        )
        let target = RequestTarget(request.head.path)
        let answered = await answer(request, target, client, id)
        var entry = AccessLog.Entry(
            id: id,
            method: request.method,
            path: target?.path,
            status: answered.response.status,
            address: client.address
        )
        entry.realm = answered.realm
        entry.clientID = answered.clientID
        entry.error = answered.error
        log.record(entry, at: now(), took: start.duration(to: .now))
        return answered.response
    }

    private func answer(
        _ request: Request,
        _ target: RequestTarget?,
        _ client: ClientAddress,
        _ id: RequestID
    ) async -> Answered {
        switch guarding.check(request.head, from: client) {
        case .serve: break
        case .redirect(let redirect): return Answered(Response(redirect, headers: headers))
        case .misdirected:
            return Answered(Response(empty: .misdirectedRequest, headers: headers))
        case .insecure: return Answered(Response(empty: .forbidden, headers: headers))
        }
        guard let target else { return Answered(Response(empty: .notFound, headers: headers)) }
        return await routes(Arrival(request: request, target: target, client: client, id: id))
    }
}

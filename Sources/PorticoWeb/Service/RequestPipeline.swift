import HTTPTypes
package import PorticoBytes

/// Checks every request before routing: which host it names, whether it was confidential, whether
/// its path is canonical (docs/decisions/0036). Logs one line for every answer.
package struct RequestPipeline: Responder {
    private let guarding: HostGuard
    private let proxies: TrustedProxies
    private let headers: SecurityHeaders
    private let log: AccessLog
    private let clock: Clock
    private let random: RandomSource
    private let services: [any HTTPService]
    private let servicesOfRealms: [any HTTPService]
    private let notFound: @Sendable (RequestContext) -> Response

    /// - Parameters:
    ///   - services: Tried in this order.
    ///   - servicesOfRealms: Instead of these, under a realm's own host.
    ///   - notFound: The answer at an address that none of them has.
    package init(
        guarding: HostGuard,
        proxies: TrustedProxies,
        headers: SecurityHeaders,
        log: AccessLog,
        clock: Clock,
        random: RandomSource = .system,
        services: [any HTTPService],
        servicesOfRealms: [any HTTPService] = [],
        notFound: @escaping @Sendable (RequestContext) -> Response
    ) {
        self.guarding = guarding
        self.proxies = proxies
        self.headers = headers
        self.log = log
        self.clock = clock
        self.random = random
        self.services = services
        self.servicesOfRealms = servicesOfRealms
        self.notFound = notFound
    }

    package func respond(to request: Request) async -> Response {
        let start = ContinuousClock.now
        let id = RequestID(random: random)
        let client = ClientAddress(
            peer: request.peer,
            headers: request.headers,
            trusting: proxies
        )
        let target = RequestTarget(request.head.path, takesSlash: true)
        let response = await answer(request, target, client, id)
        var entry = AccessLog.Entry(
            id: id,
            method: request.method,
            path: target?.path,
            status: response.status,
            address: client.address
        )
        entry.realm = response.logged.realm
        entry.error = response.logged.error
        log.record(entry, at: clock.moment().now, took: start.duration(to: .now))
        return response
    }

    package func uploadCheck(of request: Request) -> UploadCheck? {
        let client = ClientAddress(
            peer: request.peer,
            headers: request.headers,
            trusting: proxies
        )
        // A realm's own host has no such row.
        guard case .serve = guarding.check(request.head, from: client),
            let target = RequestTarget(request.head.path, takesSlash: true)
        else { return nil }
        let context = RequestContext(
            received: request,
            target: target,
            client: client,
            id: RequestID(random: random),
            moment: clock.moment()
        )
        for service in services {
            if let check = service.uploadCheck(of: context) { return check }
        }
        return nil
    }

    private func answer(
        _ request: Request,
        _ target: RequestTarget?,
        _ client: ClientAddress,
        _ id: RequestID
    ) async -> Response {
        var realmHost: PublicURL?
        switch guarding.check(request.head, from: client) {
        case .serve: break
        case .serveRealm(let host): realmHost = host
        case .redirect(let redirect): return Response(redirect, headers: headers)
        case .misdirected:
            return Response(
                text: """
                    This server does not answer under the host that was asked for (Host, or the host in \
                    the request's target), but as \(guarding.name). Ask it there, or have the proxy in \
                    front pass on that host, with its port.
                    """,
                status: .misdirectedRequest,
                headers: headers
            )
        case .insecure:
            return Response(
                text: """
                    This address is served over https only. A proxy in front says so by \
                    X-Forwarded-Proto: https, and is trusted if the setting trusted-proxies names it.
                    """,
                status: .forbidden,
                headers: headers
            )
        }
        guard let target else { return Response(empty: .notFound, headers: headers) }
        let context = RequestContext(
            received: request,
            target: target,
            client: client,
            id: id,
            moment: clock.moment(),
            realmHost: realmHost
        )
        for service in realmHost == nil ? services : servicesOfRealms {
            if let response = await service.respond(to: context) { return response }
        }
        return target.endsInSlash
            ? Response(empty: .notFound, headers: headers) : notFound(context)
    }
}

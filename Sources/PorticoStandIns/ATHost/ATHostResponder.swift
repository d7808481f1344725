import HTTPTypes
import PorticoBytes
import PorticoProtocol
package import PorticoWeb

/// The pipeline of the stand-in of a host: it serves this machine only, under its own name and
/// those of the accounts' handles.
package struct ATHostResponder: Responder {
    private let host: ATHost
    private let service: ATHostService?

    init(_ host: ATHost, _ server: any Responder) {
        self.host = host
        // `try?`: the literal is a public URL, and the routes are tested; if either failed, nothing
        // would be served.
        service = try? ATHostService(host, server)
    }

    package func respond(to request: Request) async -> Response {
        guard let service else { return Response(status: .internalServerError) }
        let refusal = LocalRequestGuard(baseURL: host.baseURL).refusal(of: request, isHandle)
        if let refusal { return Response(empty: refusal, headers: service.headers) }
        let target = RequestTarget(request.head.path)
        let isOfHandle = LocalRequestGuard.host(of: request).map(isHandle) ?? false
        if let target, isOfHandle == (target.path == ATHostService.handlePath) {
            let context = RequestContext(
                received: request,
                target: target,
                client: ClientAddress(peer: request.peer, headers: [:], trusting: .none),
                id: RequestID(random: .system),
                moment: host.clock.moment()
            )
            if let response = await service.respond(to: context) { return response }
        }
        return isOfHandle
            ? Response(empty: .notFound, headers: service.headers)
            : await service.server.respond(to: request)
    }

    /// An account's, or one that an account here could have.
    private func isHandle(_ name: String) -> Bool {
        host.person(handle: name) != nil
            || name.hasSuffix(".\(ATHost.domain)") && name != HTTPAddress(host.baseURL)?.host
    }
}

import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoProtocol
package import PorticoWeb

/// What the stand-in of a host answers itself: directory, handles and the methods of the PDS.
struct ATHostService: HTTPService {
    let routes: RouteTable<RequestContext>
    let headers: SecurityHeaders
    let server: ATHostAuthorizationServer

    static let handlePath = "/.well-known/atproto-did"

    init(_ host: ATHost, _ server: any Responder) throws {
        let headers = SecurityHeaders(try PublicURL("http://127.0.0.1:1"))
        let server = ATHostAuthorizationServer(host: host, server: server, headers: headers)
        let documents = ATHostDocuments(host: host, headers: headers)
        let methods = XRPCMethods(
            host: host,
            access: ATHostAccessCheck(host: host, server: server),
            headers: headers
        )
        let identities: [Route<RequestContext>] = [
            .get(RoutePath(Self.handlePath), for: .programs, scripts: .any, documents.handle),
            .get("/{did}", for: .programs, scripts: .any, documents.identity),
        ]
        let xrpc = Route<RequestContext>.any(
            of: [.get, .post],
            "/xrpc/{method}",
            for: .programs,
            scripts: .any,
            methods.answer
        )
        let form = ATHostFaultForm(host: host, headers: headers)
        let faults: [Route<RequestContext>] = [
            .get(RoutePath(ATHostFaultForm.path), for: .programs, form.get),
            .post(RoutePath(ATHostFaultForm.path), for: .programs, form.post),
        ]
        routes = try RouteTable(identities + xrpc + faults)
        self.headers = headers
        self.server = server
    }

    /// A path of one segment is the directory's only if it is a DID.
    func context(_ request: RequestContext, _ parameters: PathParameters) -> RequestContext? {
        let did = parameters["did"]
        return did.isEmpty || did.hasPrefix("did:") ? request : nil
    }

    func methodNotAllowed(_ audience: Audience, _ context: RequestContext) -> Response {
        Response(empty: .methodNotAllowed, headers: headers)
    }

    func answer(_ error: any Error, _ audience: Audience, _ context: RequestContext) -> Response {
        Response(empty: .badRequest, headers: headers)
    }
}

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

/// What is asked of the stand-in of a host of the AT Protocol.
package enum ATHostEndpoint: String, CaseIterable, Hashable, Sendable {
    /// The directory of DIDs: `/did:plc:…`.
    case directory
    /// The site of a handle: `/.well-known/atproto-did`.
    case handle
    /// RFC 9728 §3.
    case resourceMetadata
    /// RFC 8414 §3.
    case serverMetadata
    /// RFC 9126 §2.
    case pushed
    case token
    case revocation
    /// A method of the PDS: `/xrpc/{method}`.
    case xrpc
    /// Everything else of the authorization server: its pages and its keys.
    case other
}

/// A request to the stand-in of a host.
package struct ATHostCall: Sendable {
    package let endpoint: ATHostEndpoint
    package let request: Request
}

/// A document that a sign-in needs.
package enum ATHostDocument: String, CaseIterable, Hashable, Sendable {
    case did
    /// The text at the site of a handle.
    case handle
    case resourceMetadata
    case serverMetadata
    /// The client's own, which the authorization server fetches.
    case client
}

import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoProtocol
import PorticoWeb

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

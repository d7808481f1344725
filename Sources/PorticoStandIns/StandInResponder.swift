import HTTPTypes
import PorticoBytes
import PorticoProtocol
package import PorticoWeb

/// The stand-ins' own pipeline: this machine only, under its own names only, and then to the endpoint
/// that the path names.
///
/// A visitor can be anyone they like, so only this machine's own people get in. There are no proxies:
/// what came through one did not come from here.
package struct StandInResponder: Responder {
    private let standIns: StandIns
    private let service: StandInService?

    init(_ standIns: StandIns) {
        self.standIns = standIns
        // `try?`: the literal is a public URL, and the rows are tested; without either nothing is
        // answered.
        service = try? StandInService(standIns)
    }

    package func respond(to request: Request) async -> Response {
        guard let service else { return Response(status: .internalServerError) }
        let client = ClientAddress(peer: request.peer, headers: [:], trusting: .none)
        guard client.address?.isLoopback ?? true, !isForwarded(request.headers) else {
            return Response(empty: .forbidden, headers: service.headers)
        }
        guard isOwn(request.head.authority) else {
            return Response(empty: .misdirectedRequest, headers: service.headers)
        }
        guard let target = Self.target(request.head.path) else {
            return service.answers.page(.nothing, nil)
        }
        let context = RequestContext(
            received: request,
            target: target,
            client: client,
            id: RequestID(random: .system),
            moment: standIns.clock.moment()
        )
        return await service.respond(to: context) ?? service.answers.page(.nothing, nil)
    }

    /// Whether a proxy says that it stands between.
    private func isForwarded(_ headers: HTTPFields) -> Bool {
        ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"].contains { name in
            HTTPField.Name(name).map { headers[$0] != nil } ?? false
        }
    }

    /// The authority of the base URL, or a loopback name with the same port: a page elsewhere
    /// whose name was led to this machine has neither (DNS rebinding).
    private func isOwn(_ authority: String?) -> Bool {
        guard let authority = authority?.lowercased(), let base = HTTPAddress(standIns.baseURL)
        else { return false }
        if authority == base.authority.lowercased() { return true }
        return ["localhost", "127.0.0.1", "[::1]"].contains { authority == "\($0):\(base.port)" }
    }

    /// One slash at the end of the path may stay there: Facebook's key set has it.
    private static func target(_ path: String?) -> RequestTarget? {
        guard let path else { return nil }
        let end = path.firstIndex(of: "?") ?? path.endIndex
        guard path[..<end].hasSuffix("/"), end > path.index(after: path.startIndex) else {
            return RequestTarget(path)
        }
        return RequestTarget(String(path[..<end].dropLast() + path[end...]))
    }
}

extension StandIns {
    /// What answers requests: the argument of Hummingbird's `Application`.
    package var responder: StandInResponder { StandInResponder(self) }
}

/// The addresses of all stand-ins.
struct StandInService: HTTPService {
    let routes: RouteTable<RequestContext>
    let answers: StandInAnswers

    init(_ standIns: StandIns) throws {
        let headers = SecurityHeaders(try PublicURL("http://127.0.0.1:1"))
        answers = StandInAnswers(standIns: standIns, headers: headers)
        routes = try RouteTable(Self.routes(StandInDispatch(answers: answers)))
    }

    var headers: SecurityHeaders { answers.headers }

    func context(_ request: RequestContext, _ parameters: PathParameters) -> RequestContext? {
        request
    }

    func methodNotAllowed(_ audience: Audience, _ context: RequestContext) -> Response {
        Response(empty: .methodNotAllowed, headers: headers)
    }

    /// A body that is no form, a key that cannot be made, a wait that was ended.
    func answer(_ error: any Error, _ audience: Audience, _ context: RequestContext) -> Response {
        Response(empty: .badRequest, headers: headers)
    }
}

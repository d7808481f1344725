import HTTPTypes
import PorticoBytes
package import PorticoWeb

/// The stand-ins' own pipeline: it serves this machine only, under its own names only, and routes
/// by path.
///
/// A user can choose any person, so only users of this machine are served.
package struct StandInResponder: Responder {
    private let standIns: StandIns
    private let service: StandInService?

    init(_ standIns: StandIns) {
        self.standIns = standIns
        // `try?`: the literal is a public URL, and the routes are tested; if either failed, nothing
        // would be served.
        service = try? StandInService(standIns)
    }

    package func respond(to request: Request) async -> Response {
        guard let service else { return Response(status: .internalServerError) }
        if let status = LocalRequestGuard(baseURL: standIns.baseURL).refusal(of: request) {
            return Response(empty: status, headers: service.headers)
        }
        guard let target = Self.target(request.head.path) else {
            return service.answers.page(.nothing, nil)
        }
        let context = RequestContext(
            received: request,
            target: target,
            client: ClientAddress(peer: request.peer, headers: [:], trusting: .none),
            id: RequestID(random: .system),
            moment: standIns.clock.moment()
        )
        return await service.respond(to: context) ?? service.answers.page(.nothing, nil)
    }

    /// A single trailing slash may stay: Facebook's key set has it.
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
    /// The responder for requests: the argument of Hummingbird's `Application`.
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

    /// A query or a body that is not a form.
    func answer(_ error: any Error, _ audience: Audience, _ context: RequestContext) -> Response {
        Response(empty: .badRequest, headers: headers)
    }
}

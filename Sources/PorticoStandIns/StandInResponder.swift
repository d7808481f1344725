import HTTPTypes
import PorticoBytes
import PorticoProtocol
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

/// Routes a request to its endpoint.
struct StandInDispatch: Sendable {
    let answers: StandInAnswers

    /// One request to one endpoint.
    func answer(_ context: RequestContext, _ kind: StandInKind, _ endpoint: StandInEndpoint)
        async throws -> Response
    {
        await answers.standIns.hook(try StandInCall(context, kind, endpoint)) { call in
            do {
                return try answer(to: call)
            } catch let refusal as StandInRefusal {
                return answers.refuse(refusal, call)
            } catch {
                // A key that cannot be made.
                return Response(empty: .internalServerError, headers: answers.headers)
            }
        }
    }

    private func answer(to call: StandInCall) throws -> Response {
        switch call.endpoint {
        case .discovery: try StandInDocuments(answers: answers).discovery(call)
        case .keys: try StandInDocuments(answers: answers).keys(call)
        case .authorization: try StandInAuthorization(answers: answers).answer(to: call)
        case .token: try StandInTokens(answers: answers).answer(to: call)
        case .userInfo where call.kind == .facebook: try StandInGraph(answers: answers).me(call)
        case .userInfo: try StandInUserInfo(answers: answers).answer(to: call)
        case .debugToken: try StandInGraph(answers: answers).debugToken(call)
        case .revocation: try StandInRevocation(answers: answers).answer(to: call)
        case .picture: answers.picture(call)
        }
    }
}

/// Comes between who asks and a stand-in: it may change what is asked, answer in its place, wait, or
/// change the answer. A demo has none; tests make stand-ins misbehave by it, and see what is asked.
package typealias StandInHook<Call> =
    @Sendable (_ call: Call, _ answer: @Sendable (Call) async -> Response) async -> Response

extension StandInService {
    /// The routes, with the real providers' paths.
    static func routes(_ dispatch: StandInDispatch) -> [Route<RequestContext>] {
        func at(
            _ kind: StandInKind,
            _ paths: String...,
            by methods: [HTTPRequest.Method],
            _ endpoint: StandInEndpoint
        ) -> [Route<RequestContext>] {
            paths.flatMap { path in
                let path = RoutePath("/\(kind.rawValue)/\(path)")
                return Route.any(of: methods, path, for: .people) {
                    try await dispatch.answer($0, kind, endpoint)
                }
            }
        }
        // Graph accepts requests with or without a version in the path.
        func graph(
            _ path: String,
            by methods: [HTTPRequest.Method],
            _ endpoint: StandInEndpoint
        ) -> [Route<RequestContext>] {
            at(.facebook, path, "{version}/" + path, by: methods, endpoint)
        }
        let everywhere = StandInKind.allCases.flatMap { kind in
            at(kind, "picture/{person}", by: [.get], .picture)
        }
        let google =
            at(.google, ".well-known/openid-configuration", by: [.get], .discovery)
            + at(.google, "o/oauth2/v2/auth", by: [.get, .post], .authorization)
            + at(.google, "token", by: [.post], .token)
            + at(.google, "oauth2/v3/certs", by: [.get], .keys)
            + at(.google, "v1/userinfo", by: [.get, .post], .userInfo)
            + at(.google, "revoke", by: [.post], .revocation)
        let apple =
            at(.apple, "auth/authorize", by: [.get, .post], .authorization)
            + at(.apple, "auth/token", by: [.post], .token)
            + at(.apple, "auth/keys", by: [.get], .keys)
            + at(.apple, "auth/revoke", by: [.post], .revocation)
        let openID =
            at(.openID, ".well-known/openid-configuration", by: [.get], .discovery)
            + at(.openID, "authorize", by: [.get, .post], .authorization)
            + at(.openID, "token", by: [.post], .token)
            + at(.openID, "keys", by: [.get], .keys)
            + at(.openID, "userinfo", by: [.get, .post], .userInfo)
            + at(.openID, "revoke", by: [.post], .revocation)
        let facebook =
            at(.facebook, ".well-known/oauth/openid/jwks", by: [.get], .keys)
            + graph("dialog/oauth", by: [.get, .post], .authorization)
            + graph("oauth/access_token", by: [.get, .post], .token)
            + graph("me", by: [.get, .post], .userInfo)
            + graph("debug_token", by: [.get], .debugToken)
        return everywhere + google + apple + openID + facebook
    }
}

/// Lets requests of this machine in, under a stand-in's own names.
///
/// Proxies are not supported: a request through one did not come from this machine.
struct LocalRequestGuard: Sendable {
    let baseURL: String

    /// - Parameter isOwn: Whether a host is one of the stand-in's besides that of the base URL, at
    ///   any port.
    /// - Returns: How a request is refused; `nil` if it is let in.
    func refusal(
        of request: Request,
        _ isOwn: (_ host: String) -> Bool = { _ in false }
    ) -> HTTPResponse.Status? {
        let client = ClientAddress(peer: request.peer, headers: [:], trusting: .none)
        guard client.address?.isLoopback ?? true, !isForwarded(request.headers) else {
            return .forbidden
        }
        guard isNamed(request.head.authority) || Self.host(of: request).map(isOwn) ?? false else {
            return .misdirectedRequest
        }
        return nil
    }

    /// The host that was asked, in lower case and without its port.
    static func host(of request: Request) -> String? {
        request.head.authority.flatMap { HTTPAddress("http://\($0)")?.host }
    }

    /// Whether a proxy forwarded the request.
    private func isForwarded(_ headers: HTTPFields) -> Bool {
        ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"].contains { name in
            HTTPField.Name(name).map { headers[$0] != nil } ?? false
        }
    }

    /// The authority of the base URL, or a loopback name with the same port: a foreign page with a
    /// name that resolves to this machine has neither (DNS rebinding).
    private func isNamed(_ authority: String?) -> Bool {
        guard let authority = authority?.lowercased(), let base = HTTPAddress(baseURL) else {
            return false
        }
        if authority == base.authority.lowercased() { return true }
        return ["localhost", "127.0.0.1", "[::1]"].contains { authority == "\($0):\(base.port)" }
    }
}

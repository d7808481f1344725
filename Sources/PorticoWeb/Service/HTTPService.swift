import HTTPTypes

/// A service: a list of routes, and what they share.
package protocol HTTPService: Sendable {
    associatedtype Context: ServiceContext

    var routes: RouteTable<Context> { get }
    var headers: SecurityHeaders { get }

    /// `nil` if the resource in the path does not exist.
    func context(_ request: RequestContext, _ parameters: PathParameters) -> Context?

    /// The answer without a route or context; `nil` passes the request to the next service.
    func notFound(_ request: RequestContext) -> Response?

    func methodNotAllowed(_ audience: Audience, _ context: Context) -> Response

    /// Renders every error.
    func answer(_ error: any Error, _ audience: Audience, _ context: Context)
        -> Response

    /// The origins that a route's setting stands for; called when the answer is known.
    func policy(_ scripts: ScriptOrigins, _ context: Context) async -> CORSPolicy?

    /// Completes every answer.
    func finish(_ response: inout Response, _ context: Context)
}

extension HTTPService {
    package func policy(_ scripts: ScriptOrigins, _ context: Context) -> CORSPolicy? {
        scripts == .any ? .anyone : nil
    }

    package func notFound(_ request: RequestContext) -> Response? { nil }

    package func finish(_ response: inout Response, _ context: Context) {}

    /// Who may send a long body to a row that takes one, as the row says from the head alone.
    package func uploadCheck(of request: RequestContext) -> UploadCheck? {
        guard let (address, parameters) = routes.find(request.target.path),
            let context = context(request, parameters),
            let uploader = address.route(for: context.method)?.uploader
        else { return nil }
        // `try?`: the row refuses the request again when it gets it without the body, and says why.
        return { try? await uploader(context) }
    }

    /// The answer at an address of this service, or `nil` if the path is not one.
    package func respond(to request: RequestContext) async -> Response? {
        let found = routes.find(request.target.path)
        var asked = request
        let route = found?.address.route(for: request.received.method)
        let verdict = route?.otherSites.judge(request) ?? .admitted
        asked.isLedHere = verdict == .ledHere
        guard let (address, parameters) = found, let context = context(asked, parameters)
        else {
            return request.target.endsInSlash && !routes.ignoresLastSlash
                ? nil : notFound(request)
        }
        var response =
            verdict == .refused
            ? answer(ForeignRequest(), route?.audience ?? address.audience, context)
            : await respond(at: address, context)
        if address.routes.contains(where: { $0.audience == .popups }) {
            SecurityHeaders.keepOpener(&response.headers)
        }
        finish(&response, context)
        return response
    }

    private func respond(at address: RouteTable<Context>.Address, _ context: Context) async
        -> Response
    {
        guard let route = address.route(for: context.method) else {
            if context.method == .options, let preflight = await preflight(address, context) {
                return preflight
            }
            var response = methodNotAllowed(address.audience, context)
            // RFC 9110 §15.5.6; attack H04.
            response.headers[.allow] = address.methods.map(\.rawValue).joined(separator: ", ")
            return response
        }
        var response: Response
        do {
            response = try await route.respond(context)
        } catch {
            response = answer(error, route.audience, context)
        }
        if let policy = await policy(route.scripts, context) {
            response.headers.append(contentsOf: policy.headers(for: context.headers))
        }
        return response
    }

    /// A preflight names no client: it allows what the scripts of any client may do.
    private func preflight(_ address: RouteTable<Context>.Address, _ context: Context) async
        -> Response?
    {
        let readable = address.routes.filter { $0.scripts != .none }
        guard let scripts = readable.first?.scripts,
            let policy = await policy(scripts == .knownClients ? .clients : scripts, context)
        else { return nil }
        return Response(
            empty: .noContent,
            headers: headers,
            adding: policy.preflight(for: context.headers, methods: readable.map(\.method))
        )
    }
}

import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// Passes requests on to the authorization server, and changes what it answers as the faults say.
struct ATHostAuthorizationServer: Sendable {
    let host: ATHost
    let server: any Responder
    let headers: SecurityHeaders

    func respond(to request: Request) async -> Response {
        let endpoint = await endpoint(of: request)
        let form = Self.form(of: request)
        host.log.append(
            ATHostLog.Entry(
                endpoint: endpoint,
                method: request.method,
                target: request.head.path ?? "",
                headers: request.headers,
                form: form,
                size: request.body.readableBytes
            )
        )
        await host.pass(.request, of: endpoint)
        let faults = host.faults
        guard !faults.down.contains(endpoint) else {
            return Response(empty: .serviceUnavailable, headers: headers)
        }
        let response =
            switch endpoint {
            case .resourceMetadata: await document(.resourceMetadata, request, faults)
            case .serverMetadata: await document(.serverMetadata, request, faults)
            case .pushed, .token, .revocation: await answer(request, endpoint, form, faults)
            default: await server.respond(to: request)
            }
        await host.pass(.answer, of: endpoint)
        if endpoint == .token, response.status == .ok, let former = Self.refreshToken(in: form) {
            host.memory.withLock { $0.sessions.replace(former) }
        }
        guard !faults.losesAnswers.contains(endpoint) else {
            return Response(empty: .gatewayTimeout, headers: headers)
        }
        return response
    }

    private static func refreshToken(in form: FormParameters) -> String? {
        form["grant_type"] == "refresh_token" ? form["refresh_token"] : nil
    }

    /// - Returns: Empty for a body that is no form.
    private static func form(of request: Request) -> FormParameters {
        // `try?`: the form is only looked at; the authorization server judges it.
        (try? FormParameters(body: request)) ?? FormParameters()
    }
}

extension ATHostAuthorizationServer {
    /// PAR, token and revocation.
    private func answer(
        _ request: Request,
        _ endpoint: ATHostEndpoint,
        _ form: FormParameters,
        _ faults: ATHostFaults
    ) async -> Response {
        var response = await undisturbed(request, endpoint, form, faults)
        if faults.givesNoNonce.contains(endpoint) { response.headers[.dpopNonce] = nil }
        return response
    }

    private func undisturbed(
        _ request: Request,
        _ endpoint: ATHostEndpoint,
        _ form: FormParameters,
        _ faults: ATHostFaults
    ) async -> Response {
        if faults.alwaysAsksForNonce.contains(endpoint) {
            let asked = ATHostFaults.Refused(status: 400, code: "use_dpop_nonce")
            return error(asked, nonce: host.clock.moment().random.text(16))
        }
        if let refused = faults.errors[endpoint] { return error(refused) }
        if faults.gone.contains(.client), endpoint != .revocation {
            return error(ATHostFaults.Refused(status: 400, code: "invalid_client_metadata"))
        }
        guard endpoint == .token else {
            let response = await server.respond(to: request)
            // Real servers answer the same without a proof, and revoke nothing then.
            if endpoint == .revocation, response.status == .ok, let token = form["token"],
                request.headers[.dpop] != nil
            {
                host.memory.withLock { $0.sessions.end(token) }
            }
            return response
        }
        let former = Self.refreshToken(in: form)
        if let former {
            let refused = host.memory.withLock { $0.sessions.take(former, faults.losers) }
            if let refused { return error(refused) }
        }
        let response = await server.respond(to: request)
        guard response.status == .ok, let tokens = Self.json(of: response) else {
            if let former { host.memory.withLock { $0.sessions.giveBack(former) } }
            return response
        }
        host.memory.withLock { $0.sessions.note(tokens, replacing: former) }
        return Self.replacing(tokens, by: faults.tokenAnswer.map(\.change), in: response)
    }

    private func error(_ refused: ATHostFaults.Refused, nonce: String? = nil) -> Response {
        let now = host.clock.moment().seconds
        var extra: HTTPFields = [
            .accessControlAllowOrigin: "*", .accessControlExposeHeaders: "DPoP-Nonce",
        ]
        extra[.dpopNonce] = nonce ?? host.nonces.current(at: now)
        return Response(
            json: ["error": .string(refused.code)],
            status: HTTPResponse.Status(code: refused.status),
            headers: headers,
            adding: extra
        )
    }

    private func document(
        _ document: ATHostDocument,
        _ request: Request,
        _ faults: ATHostFaults
    ) async -> Response {
        guard !faults.gone.contains(document) else {
            return Response(empty: .notFound, headers: headers)
        }
        let response = await server.respond(to: request)
        guard response.status == .ok, let json = Self.json(of: response) else { return response }
        let changes = faults.documents[document, default: [:]]
            .map { (name: $0.key, value: $0.value) }
        return Self.replacing(json, by: changes, in: response)
    }

    private static func json(of response: Response) -> JSONObject? {
        // `try?`: what is no JSON is passed on as it is.
        try? JSONObject(parsing: response.body.readableBytesView)
    }

    private static func replacing(
        _ json: JSONObject,
        by changes: [(name: String, value: JSONValue?)],
        in response: Response
    ) -> Response {
        guard !changes.isEmpty else { return response }
        var json = json
        for (name, value) in changes { json[name] = value }
        var fields = response.headers
        fields[.contentLength] = nil
        return Response(status: response.status, headers: fields, bytes: json.serialized())
    }
}

extension ATHostFaults.TokenFault {
    fileprivate var change: (name: String, value: JSONValue?) {
        switch self {
        case .member(let name, let value): (name, value)
        }
    }
}

/// Paths of the authorization server.
struct ATHostAddresses: Sendable {
    let pushed: String?
    let token: String?
    let revocation: String?
    let keys: String?

    init(metadata: JSONObject) {
        func path(_ name: String) -> String? {
            metadata.string(name).flatMap { HTTPAddress($0)?.path }
        }
        pushed = path("pushed_authorization_request_endpoint")
        token = path("token_endpoint")
        revocation = path("revocation_endpoint")
        keys = path("jwks_uri")
    }
}

extension ATHostAuthorizationServer {
    private func endpoint(of request: Request) async -> ATHostEndpoint {
        let path = request.head.path.map { String($0.prefix { $0 != "?" }) }
        switch path {
        case "/.well-known/oauth-protected-resource": return .resourceMetadata
        case "/.well-known/oauth-authorization-server": return .serverMetadata
        default: break
        }
        guard let path, let addresses = await addresses(request.peer) else { return .other }
        switch path {
        case addresses.pushed: return .pushed
        case addresses.token: return .token
        case addresses.revocation: return .revocation
        default: return .other
        }
    }

    /// The keys that access tokens are signed with.
    ///
    /// - Parameter isFresh: Whether they are fetched again.
    func keys(isFresh: Bool, _ peer: SocketAddress?) async -> [VerificationKey] {
        if !isFresh { return host.memory.withLock { $0.keys } }
        guard let path = await addresses(peer)?.keys, let json = await fetch(path, peer) else {
            return []
        }
        // `try?`: without keys no token is good.
        let keys = (try? JWKSet(json))?.keys ?? []
        host.memory.withLock { $0.keys = keys }
        return keys
    }

    /// Learned once, when the authorization server answers.
    private func addresses(_ peer: SocketAddress?) async -> ATHostAddresses? {
        if let known = host.memory.withLock({ $0.addresses }) { return known }
        let metadata = await fetch("/.well-known/oauth-authorization-server", peer)
        guard let metadata else { return nil }
        let addresses = ATHostAddresses(metadata: metadata)
        host.memory.withLock { $0.addresses = addresses }
        return addresses
    }

    private func fetch(_ path: String, _ peer: SocketAddress?) async -> JSONObject? {
        guard let address = HTTPAddress(host.baseURL + path) else { return nil }
        let request = Request(head: HTTPRequest(.get, to: address), peer: peer)
        let response = await server.respond(to: request)
        return response.status == .ok ? Self.json(of: response) : nil
    }
}

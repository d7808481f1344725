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
        return await host.answer(endpoint, request, headers) { faults in
            switch endpoint {
            case .resourceMetadata: await document(.resourceMetadata, request, faults)
            case .serverMetadata: await document(.serverMetadata, request, faults)
            case .pushed, .token, .revocation: await answer(request, endpoint, faults)
            default: await server.respond(to: request)
            }
        }
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
        _ faults: ATHostFaults
    ) async -> Response {
        let form = Self.form(of: request)
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
        return Self.setting(faults.tokenAnswer, in: tokens, of: response)
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
        return await server.respond(to: request)
    }

    private static func json(of response: Response) -> JSONObject? {
        // `try?`: what is no JSON is passed on as it is.
        try? JSONObject(parsing: response.body.readableBytesView)
    }

    private static func setting(
        _ members: JSONObject,
        in tokens: JSONObject,
        of response: Response
    ) -> Response {
        guard !members.isEmpty else { return response }
        var tokens = tokens
        for (name, value) in members { tokens[name] = value }
        var fields = response.headers
        fields[.contentLength] = nil
        return Response(status: response.status, headers: fields, bytes: tokens.serialized())
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

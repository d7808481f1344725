import HTTPTypes
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
package import PorticoWeb

/// `GET /v1/auth/{provider}`: sends a browser to the identity provider (SEED-ADR-1).
package struct StartEndpoint: Sendable {
    let directory: ProviderDirectory
    let start: SignInStart
    let responder: SignInResponder
    let limit: StartLimit

    package func get(_ name: Substring, _ context: SignInContext) async throws -> Response {
        if directory.handles != nil, name.utf8.elementsEqual(HandleProvider.kind.utf8) {
            return try toHandle(context)
        }
        guard let provider = directory.provider(named: name) else {
            let known = SignInMethods(directory).all().map(\.name)
            return responder.unknownProvider(known, context)
        }
        let signInReturn = try self.signInReturn(to: provider, try context.query())
        let known: [HTTPField]
        switch try limit.take(provider.name, context) {
        case .allowed(let browser): known = browser.cookies
        case .wait(let seconds):
            throw ServiceError(
                .rateLimited,
                "Too many sign-ins were started in this browser, or from this address.",
                retryAfter: seconds
            )
        }
        if !context.wantsJSON, provider.record.kind == "google",
            EmbeddedBrowser.isOne(context.headers[.userAgent])
        {
            return responder.openInBrowser(provider, signInReturn, context)
        }
        let started: SignInStart.Started
        do {
            started = try await start(at: provider, backTo: signInReturn, request(context), context)
        } catch let error as SignInError {
            return responder.notAnswering(provider, signInReturn, error, context)
        }
        guard !context.wantsJSON else {
            return Response(
                json: [
                    "provider": .string(provider.name),
                    "authorizationUrl": .string(started.address),
                    "clientId": .string(started.clientID),
                    "scopes": .array(started.scopes.map { .string($0) }),
                    "responseType": "code",
                    "state": .string(started.state),
                ],
                headers: responder.headers,
                adding: HTTPFields(known + started.cookies)
            )
        }
        guard let redirect = Redirect(to: started.address) else {
            throw ServiceError(.providerError, "The provider's address cannot be written.")
        }
        return Response(redirect, headers: responder.headers, cookies: known + started.cookies)
    }

    /// Who signs in by handle is asked for it first.
    private func toHandle(_ context: SignInContext) throws(ServiceError) -> Response {
        var query = try context.query().all.filter { $0.name != "platform" }
        let platform = try context.query()["platform"]
        // The bare page is for an app.
        query.append(("platform", platform ?? "web"))
        return responder.redirect(FormEncoding.appending(query, to: SignInPath.handle.rawValue))
    }

    private func signInReturn(
        to provider: ProviderDirectory.LiveProvider,
        _ query: FormParameters
    ) throws(ServiceError) -> SignInReturn {
        let destination: SignInReturn.Destination
        switch query["platform"] {
        case "mobile": destination = .app(try AppTarget(query, in: directory.apps))
        case nil, "web":
            destination = .web(
                directory.place.asked(query["return_to"]),
                isRemembered: query["remember"] == "1"
            )
        default: throw ServiceError(.invalidRequest, "platform must be web or mobile.")
        }
        return SignInReturn(provider: provider.name, destination: destination)
    }

    /// Only these parameters are passed on (WEB-BFF-10).
    private func request(_ context: SignInContext) throws(ServiceError) -> UpstreamRequest {
        let query = try context.query()
        var request = UpstreamRequest()
        // A hint from a link must not sign anybody in: a login token of a Portico realm is dropped.
        if let hint = query["login_hint"], hint.utf8.count <= 255,
            !hint.lowercased().utf8.starts(with: "login-token.".utf8)
        {
            request.loginHint = hint
        }
        switch query["prompt"] {
        case "select_account": request.prompt = .selectAccount
        case "login":
            request.prompt = UpstreamRequest.reauthentication.prompt
            request.maxAge = UpstreamRequest.reauthentication.maxAge
        default: break
        }
        return request
    }
}

extension HTTPFields {
    init(_ fields: [HTTPField]) {
        self.init()
        append(contentsOf: fields)
    }
}

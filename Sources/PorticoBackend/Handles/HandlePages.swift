import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// The answers of a sign-in by handle: pages for people, JSON for programs, redirects to apps.
struct HandlePages: Sendable {
    let responder: SignInResponder

    private var page: PageResponder { responder.page }
    private var headers: SecurityHeaders { responder.headers }

    /// The page that asks for the handle, with what was wrong with the last one.
    package func ask(_ request: HandleRequest, _ fault: HandleFault?, _ context: SignInContext)
        -> Response
    {
        if context.wantsJSON, let fault { return fault.error.response(headers: headers) }
        return ask(request.handle, fault, request.fields, request.destination, context)
    }

    private func ask(
        _ handle: String,
        _ fault: HandleFault?,
        _ fields: [PageField],
        _ destination: SignInReturn.Destination,
        _ context: SignInContext
    ) -> Response {
        var proposals: [String] = []
        if case .proposed(let handle) = fault { proposals = [handle] }
        var response = page(
            HandlePage(
                handle: String(ShownText(handle, limit: 2048).text),
                proposals: proposals,
                problem: fault.flatMap(HandleProblem.init),
                fields: fields,
                app: app(of: destination),
                otherMethods: otherMethods(destination),
                domain: responder.directory.handles?.provider.defaultDomain
                    ?? HandleProvider.usualDomain
            ),
            context,
            status: fault?.error.status ?? .ok,
            retryAfter: fault?.error.retryAfter
        )
        if fields.contains(HandleRequest.popup) { SecurityHeaders.keepOpener(&response.headers) }
        return response
    }

    private func app(of destination: SignInReturn.Destination) -> String? {
        guard case .app(let target) = destination else { return nil }
        let app = responder.directory.apps[target.app]
        return app?.name ?? target.app
    }

    private func otherMethods(_ destination: SignInReturn.Destination) -> PageLink? {
        guard !responder.directory.providers.isEmpty else { return nil }
        var destination = destination
        // Only a person ticks the box of the choice.
        if case .web(let path, _) = destination { destination = .web(path, isRemembered: false) }
        let back = SignInReturn(provider: HandleProvider.kind, destination: destination)
        return PageLink(path: back.choice(at: .backend))
    }

    /// Where the person is about to sign in.
    func host(
        _ server: AuthorizationServer,
        _ request: HandleRequest,
        _ account: String?,
        in browser: FormBrowser,
        _ context: SignInContext
    ) -> Response {
        let fields = request.fields.map { (name: $0.name, value: $0.value) }
        let link = [("handle", request.handle)] + fields
        let proceed = FormEncoding.appending(
            // Such a browser does not say that the link comes from this page.
            FetchSite.isUnsaid(context.headers)
                ? link + [("shown", shown(request, in: browser))] : link,
            to: "/login"
        )
        var response = page(
            HandleHostPage(
                host: server.issuer.host,
                account: account,
                proceed: PageLink(path: proceed),
                otherHandle: PageLink(path: FormEncoding.appending(fields, to: "/mobile-auth"))
            ),
            context,
            cookies: browser.cookies
        )
        if request.isPopup { SecurityHeaders.keepOpener(&response.headers) }
        return response
    }

    /// Begins the same sign-in for the same app or page, and shows the host first.
    func start(_ request: HandleRequest) -> PageLink? {
        let fields = request.fields.map { (name: $0.name, value: $0.value) }
        let asked = [("handle", request.handle), ("ask", "host")] + fields
        return PageLink(path: FormEncoding.appending(asked, to: SignInPath.login.rawValue))
    }

    /// Bound to the handle and to the browser, as a form is.
    private func shown(_ request: HandleRequest, in browser: FormBrowser) -> String {
        responder.forms.forms.token(HandleLogin.shown, request.handle, in: browser)
    }

    /// Whether a link comes from the page with the host's name, shown for that handle in this browser.
    func wasShown(_ token: String?, _ request: HandleRequest, _ context: SignInContext) -> Bool {
        responder.forms.forms.isToken(
            token,
            HandleLogin.shown,
            request.handle,
            cookie: responder.forms.cookies.form.value(context.headers),
            context
        )
    }

    /// To the authorization server.
    func leave(
        to address: String,
        _ attempt: HandleAttempt,
        _ live: HandleDirectory.Live,
        cookies: [HTTPField],
        _ context: SignInContext
    ) -> Response {
        guard !context.wantsJSON else {
            return Response(
                json: [
                    "provider": .string(HandleProvider.kind),
                    "authorizationUrl": .string(address),
                    "clientId": .string(live.client.clientID),
                    "scopes": .array(
                        live.provider.asked(at: context.now).tokens.map { .string($0) }
                    ),
                    "responseType": "code",
                    "state": .string(attempt.state.reveal()),
                ],
                headers: headers,
                adding: HTTPFields(cookies)
            )
        }
        var response = responder.redirect(address).adding(cookies)
        if attempt.isPopup { SecurityHeaders.keepOpener(&response.headers) }
        return response
    }

    /// The end of an attempt without a session. A waiting app gets the error, unless the person may
    /// continue at once: then a page asks first.
    ///
    /// - Parameter attempt: `nil` if it has expired.
    func failed(
        _ fault: HandleFault,
        _ attempt: HandleAttempt?,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) -> Response {
        let destination = signInReturn.destination
        let fields =
            attempt?.fields(destination)
            ?? HandleRequest.fields(destination, nil, isPopup: false)
        return failed(fault, attempt?.handle ?? "", signInReturn, fields, context)
    }

    func failed(
        _ fault: HandleFault,
        _ handle: String,
        _ signInReturn: SignInReturn,
        _ fields: [PageField],
        _ context: SignInContext
    ) -> Response {
        if context.wantsJSON { return fault.error.response(headers: headers) }
        if case .app(let target) = signInReturn.destination, !fault.isAskedAgain,
            let redirect = target.location(fault.forApps)
        {
            return Response(redirect, headers: headers).logged(error: fault.word)
        }
        return ask(handle, fault, fields, signInReturn.destination, context)
            .logged(error: fault.word)
    }

    /// The account signs in at another server: a page asks whether to continue at that server.
    func again(
        _ did: DID,
        at server: AuthorizationServer,
        _ attempt: HandleAttempt,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) throws -> Response {
        if context.wantsJSON { return HandleFault.notFinished.error.response(headers: headers) }
        let made = try responder.forms.form(
            .login,
            HandleLogin.again,
            did.text,
            context,
            carrying: attempt.fields(signInReturn.destination) + [
                PageField("handle", did.text), PageField("again", "1"),
            ]
        )
        var response = page(
            HandleAgainPage(
                host: server.issuer.host,
                first: HTTPAddress(attempt.issuer)?.host ?? "",
                account: did.text,
                form: made.form
            ),
            context,
            status: .conflict,
            redirecting: .onward,
            cookies: made.cookies
        )
        if attempt.isPopup { SecurityHeaders.keepOpener(&response.headers) }
        return response
    }

    /// Tells the window that opened this one, and closes this one.
    func popup(
        _ did: String,
        _ handle: String,
        then path: LocalPath,
        cookies: [HTTPField],
        _ context: SignInContext
    ) -> Response {
        let nonce = context.moment.random.text(16)
        let popup = HandlePopupPage(
            did: did,
            handle: handle,
            nonce: nonce,
            proceed: PageLink(path: path.text)
        )
        var response = Response(
            page: page.html(popup, context),
            policy: .page(style: page.renderer.styleHash, nonce: nonce),
            headers: headers,
            cookies: cookies
        )
        SecurityHeaders.keepOpener(&response.headers)
        return response
    }

    /// The attempt has brought its app a session before.
    func answered(_ signInReturn: SignInReturn, _ context: SignInContext) -> Response {
        if context.wantsJSON { return HandleFault.expired.error.response(headers: headers) }
        return page(
            ExpiredPage(
                reason: .answered,
                restart: PageLink(path: signInReturn.restart(at: .backend))
            ),
            context,
            status: .badRequest
        )
    }
}

extension HandleProblem {
    /// - Returns: `nil` if the page asks whether another handle was meant.
    fileprivate init?(_ fault: HandleFault) {
        switch fault {
        case .proposed: return nil
        case .unreadable: self = .unreadable
        case .notFound(let handle): self = .notFound(handle: handle)
        case .notConfirmed: self = .oneWay
        case .unreachable(let host): self = .hostUnreachable(host: host)
        case .withoutSignIn(let host, _): self = .hostWithoutSignIn(host: host)
        case .otherAccount(let handle): self = .otherAccount(handle: handle)
        case .notFinished: self = .notFinished
        case .denied: self = .denied
        case .expired: self = .expired
        case .tooMany(let seconds): self = .tooManyTries(seconds: Int(clamping: Int64(seconds)))
        case .busy: self = .busy
        }
    }
}

import HTTPTypes
import Hummingbird
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// How sign-ins end, well or badly: JSON for programs, a redirect to the app that waits, a page or
/// the sign-in page for people (decision 9). Never a dead page that leaves an app waiting.
struct BackendExits: Sendable {
    let page: BackendPageExit
    let headers: SecurityHeaders
    let directory: BackendDirectory
    let events: BackendEvents
    let forms: PageForms

    // MARK: Sign-ins

    /// 303 to a page of this server.
    func go(to path: LocalPath, _ visit: BackendVisit, cookies: [HTTPField] = []) -> Response {
        guard let redirect = Redirect(to: path.text) else {
            return page(ErrorPage(issue: .serverError), visit, status: .internalServerError)
        }
        return Response(redirect, headers: headers, cookies: cookies)
    }

    func completed(
        _ completed: SignInCompletion.Completed,
        _ wayBack: WayBack,
        _ visit: BackendVisit
    ) -> Response {
        switch completed {
        case .inBrowser(_, let isNew, let path, let cookies):
            return go(to: isNew ? .onboarding(then: path) : path, visit, cookies: cookies)
        case .inApp(let account, _, let target, let parameters):
            return handOver(target, parameters, to: account, visit)
        case .ask: return go(to: .joining, visit)
        case .failed(let failure): return failed(failure, wayBack, visit)
        }
    }

    /// Silently by a claimed https redirect; otherwise by a page that names the app and the person,
    /// with a button (mechanisms, "Attempts").
    private func handOver(
        _ target: AppTarget,
        _ parameters: [(name: String, value: String)],
        to account: Account,
        _ visit: BackendVisit
    ) -> Response {
        guard let redirect = target.location(parameters) else {
            return page(ErrorPage(issue: .serverError), visit, status: .internalServerError)
        }
        guard !target.isClaimed, let link = PageLink(redirect: redirect.location) else {
            return Response(redirect, headers: headers)
        }
        let app = directory.apps.apps.first { sameBytes($0.name, target.app) }
        return page(
            ReturnToAppPage(
                state: .ready,
                app: app?.displayName ?? target.app,
                person: account.name ?? account.email?.address,
                link: link
            ),
            visit
        )
    }

    func failed(_ failure: SignInFailure, _ wayBack: WayBack?, _ visit: BackendVisit) -> Response {
        if visit.wantsJSON { return json(failure).response(headers: headers) }
        switch wayBack?.destination {
        case .app(let target)?:
            guard let redirect = target.location(failure.forApps) else { break }
            return Response(redirect, headers: headers)
        case .web(let path, let isRemembered)?:
            var query = failure.query(wayBack?.provider)
            if path != .dashboard { query.append(("return_to", path.text)) }
            if isRemembered { query.append(("remember", "1")) }
            return toSignIn(query)
        case .link?:
            return redirect(FormEncoding.appending(failure.query(nil), to: LocalPath.ways.text))
        case nil: break
        }
        return unmatched(visit)
    }

    /// Neither the browser nor an app is known: page 14.
    func unmatched(_ visit: BackendVisit) -> Response {
        if visit.wantsJSON {
            return BackendError(.invalidState, "No sign-in of this browser has that state.")
                .response(headers: headers)
        }
        let restart = PageLink(path: "/login")
        return page(ExpiredPage(reason: .unmatched, restart: restart), visit, status: .badRequest)
    }

    private func toSignIn(_ query: [(name: String, value: String)]) -> Response {
        redirect(FormEncoding.appending(query, to: "/login"))
    }

    private func redirect(_ location: String) -> Response {
        guard let redirect = Redirect(to: location) else {
            return Response(empty: .internalServerError, headers: headers)
        }
        return Response(redirect, headers: headers)
    }

    private func json(_ failure: SignInFailure) -> BackendError {
        switch failure.error {
        case .accessDenied: BackendError(.accessDenied, "The person stopped the sign-in.")
        case .invalidState: BackendError(.invalidState, "The sign-in could not be matched.")
        case .accountBlocked: BackendError(.accountBlocked, "The account is blocked.")
        case .signUpClosed: BackendError(.signUpClosed, "New accounts are closed.")
        case .rateLimited: BackendError(.rateLimited, "Too many attempts.", retryAfter: 60)
        case .linkRequired, .emailUnverified:
            BackendError(.linkRequired, "The person has an account already.")
        case .authenticationFailed:
            failure.reason == .providerUnreachable
                ? BackendError(.providerUnreachable, "The provider does not answer.", retryAfter: 5)
                : BackendError(.providerError, "The provider's answer was not accepted.")
        }
    }

    // MARK: Starts

    func unknownProvider(_ known: [String], _ visit: BackendVisit) -> Response {
        guard visit.wantsJSON else {
            return page(ErrorPage(issue: .notFound), visit, status: .notFound)
        }
        return Response(
            json: [
                "error": .string(BackendError.Code.invalidProvider.rawValue),
                "message": "There is no provider of that name.",
                "providers": .array(known.map { .string($0) }),
            ],
            status: .badRequest,
            headers: headers
        )
    }

    /// Page 21, with the way to try again and the other ways.
    func notAnswering(
        _ provider: BackendDirectory.LiveProvider,
        _ wayBack: WayBack,
        _ error: SignInError,
        _ visit: BackendVisit
    ) -> Response {
        events.providerFailed(provider.name, error, visit)
        let refusal = BackendError(starting: error)
        if visit.wantsJSON { return refusal.response(headers: headers) }
        let name = provider.client.provider.displayName
        guard case .transient = error.kind else {
            return page(
                ErrorPage(
                    issue: .providerMisconfigured(name: name),
                    wayBack: PageLink(path: "/login")
                ),
                visit,
                status: .badGateway
            )
        }
        return page(
            NotAnsweringPage(
                provider: provider.label,
                since: provider.client.health.downSince,
                now: visit.now,
                tryAgain: PageLink(path: wayBack.restart),
                otherWays: PageLink(path: "/login")
            ),
            visit,
            status: .serviceUnavailable,
            retryAfter: 5
        )
    }

    /// Page 22.
    func openInBrowser(
        _ provider: BackendDirectory.LiveProvider,
        _ wayBack: WayBack,
        _ visit: BackendVisit
    ) -> Response {
        page(
            OpenInBrowserPage(
                provider: provider.label,
                address: page.origin + wayBack.restart,
                platform: EmbeddedBrowser.platform(visit.headers[.userAgent]),
                otherWays: PageLink(path: "/login")
            ),
            visit,
            status: .forbidden
        )
    }

    // MARK: Links

    func linked(
        _ outcome: LinkOutcome,
        _ provider: String,
        of sessionID: UniqueID,
        _ path: LocalPath,
        _ visit: BackendVisit
    ) throws -> Response {
        switch outcome {
        case .linked, .alreadyLinked:
            return redirect(FormEncoding.appending([("added", provider)], to: path.text))
        case .taken: return try taken(provider, .otherAccount, sessionID, visit)
        case .secondOfProvider: return try taken(provider, .secondOfProvider, sessionID, visit)
        case .spent, .sessionEnded:
            return failed(SignInFailure(.invalidState, .expired), nil, visit)
        }
    }

    private func taken(
        _ provider: String,
        _ reason: IdentityTakenPage.Reason,
        _ sessionID: UniqueID,
        _ visit: BackendVisit
    ) throws -> Response {
        let label =
            ProviderWays(directory).label(provider)
            ?? WayLabel(kind: .generic, displayName: provider)
        let made = try forms.form(.accountWays, "ways", sessionID.text, visit)
        return page(
            IdentityTakenPage(way: label, reason: reason, form: made.form),
            visit,
            status: .conflict,
            cookies: made.cookies
        )
    }

    // MARK: Errors

    func methodNotAllowed(_ route: BackendRoute, _ visit: BackendVisit) -> Response {
        let allow = Response(methodNotAllowedBut: route.methods, headers: headers)
        var response =
            route.isForPeople && !visit.wantsJSON
            ? page(ErrorPage(issue: .methodNotAllowed), visit, status: .methodNotAllowed)
            : BackendError(.methodNotAllowed, "The method is not one of this address.")
                .response(headers: headers)
        response.headers[.allow] = allow.headers[.allow]
        return response
    }

    func answer(_ error: any Error, _ route: BackendRoute, _ visit: BackendVisit) -> Answered {
        let refusal: BackendError
        switch error {
        case let error as BackendError: refusal = error
        case let absence as SessionCheck.Absence:
            return Answered(unauthorized(absence, route, visit), "unauthorized")
        case is StoreBusy: refusal = BackendError(.busy, "The server is busy.", retryAfter: 2)
        default:
            events.failed(error, visit)
            refusal = BackendError(.internalError, "Something went wrong here.")
        }
        let response =
            route.isForPeople && !visit.wantsJSON
            ? page(refusal, visit) : refusal.response(headers: headers)
        return Answered(response, refusal.code.rawValue)
    }

    private func unauthorized(
        _ absence: SessionCheck.Absence,
        _ route: BackendRoute,
        _ visit: BackendVisit
    ) -> Response {
        guard route.isForPeople, !visit.wantsJSON else {
            return SessionEndpoint.unauthorized(absence, headers)
        }
        return toSignIn([("return_to", visit.target.path)])
    }

    private func page(_ refusal: BackendError, _ visit: BackendVisit) -> Response {
        let details = ErrorPage.Details(code: refusal.code.rawValue, time: visit.moment.now)
        return page(
            ErrorPage(
                issue: refusal.issue,
                wayBack: PageLink(path: "/login"),
                details: details
            ),
            visit,
            status: refusal.code.status,
            retryAfter: refusal.retryAfter
        )
    }
}

extension Answered {
    fileprivate init(_ response: Response, _ error: String) {
        self.init(response)
        self.error = error
    }
}

extension SignInFailure {
    /// What the sign-in page is told.
    func query(_ provider: String?) -> [(name: String, value: String)] {
        [("error", error.rawValue), ("reason", reason.rawValue)]
            + (provider.map { [("provider", $0)] } ?? [])
    }
}

extension BackendError {
    /// What a person reads of it.
    fileprivate var issue: ErrorPage.Issue {
        switch code {
        case .notFound, .invalidProvider: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .tooLarge: .tooLarge
        case .rateLimited: .tooManyTries(seconds: Int(clamping: Int64(retryAfter ?? 60)))
        case .busy: .busy
        case .forbidden, .accessDenied: .notAllowed
        case .accountBlocked: .accountBlocked
        case .internalError, .providerError, .providerUnreachable: .serverError
        case .reauthenticationRequired, .unauthorized: .signInNeeded
        case .invalidRequest, .missingParameter, .invalidApp, .invalidGrant, .invalidState,
            .invalidToken, .lastWay, .linkRequired, .signUpClosed, .conflict,
            .unsupportedMediaType:
            .requestNotUnderstood
        }
    }
}

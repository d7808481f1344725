import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// How every error leaves: JSON for programs, a page with plain words and an id for people, a
/// redirect where client and redirect URI are proven. Here and nowhere else.
struct ErrorExits: Sendable {
    let page: PageExit
    let headers: SecurityHeaders
    let events: SecurityEvents

    func answer(_ error: any Error, _ route: ProviderRoute, _ visit: RealmVisit) -> Answered {
        if let late = error as? ErrorAfterSignIn {
            var answered = answer(late.error, route, visit)
            for cookie in late.cookies { answered.response.headers.append(cookie) }
            return answered
        }
        let isForPeople = route.isForPeople && !(error is ProgramRefusal)
        let error = (error as? ProgramRefusal)?.error ?? error
        var answered = isForPeople ? forPeople(error, visit) : forPrograms(error, visit)
        if answered.error == nil { answered.error = name(of: error, visit) }
        return answered
    }

    func start(_ visit: Visit) -> Response {
        page(StartPage(), visit)
    }

    func notFound(_ visit: Visit) -> Response {
        guard visit.isByProgram else {
            return page(ErrorPage(issue: .notFound), visit, status: .notFound)
        }
        // As Keycloak says that there is no such realm: its clients know the words.
        return visit.realm == nil && ProviderRoute.find(visit.target.path) != nil
            ? Response(json: ["error": "Realm does not exist"], status: .notFound, headers: headers)
            : Response(
                json: [
                    "error": "not_found", "error_description": "Nothing is at this address.",
                ],
                status: .notFound,
                headers: headers
            )
    }

    func methodNotAllowed(_ route: ProviderRoute, _ visit: RealmVisit) -> Response {
        let allow = Response(methodNotAllowedBut: route.methods, headers: headers)
        var response =
            visit.visit.isByProgram
            ? Response(
                json: [
                    "error": "method_not_allowed",
                    "error_description": "This address takes another method; Allow names it.",
                ],
                status: .methodNotAllowed,
                headers: headers
            )
            : page(
                ErrorPage(issue: .methodNotAllowed),
                visit.visit,
                status: .methodNotAllowed
            )
        response.headers[.allow] = allow.headers[.allow]
        return response
    }

    // MARK: Programs

    private func forPrograms(_ error: any Error, _ visit: RealmVisit) -> Answered {
        let issuer = visit.realm.realm.issuer
        switch error {
        case let error as OAuthError:
            return Answered(error.response(headers: headers, issuer: issuer), error: error)
        case let refusal as ClientRefusal:
            let scheme: OAuthError.AuthenticationScheme? =
                refusal.usesAuthorizationHeader ? .basic : nil
            return Answered(
                refusal.error.response(headers: headers, attempted: scheme, issuer: issuer),
                error: refusal.error
            )
        case let refusal as BearerRefusal:
            let scope = refusal.error?.code == .insufficientScope ? "openid" : nil
            let challenge = BearerChallenge(refusal.error, issuer: issuer, scope: scope)
            return Answered(challenge.response(headers: headers), error: refusal.error)
        case let tooMany as TooManyRequests:
            let error = OAuthError(
                .temporarilyUnavailable,
                "Too many requests of this kind; wait a while."
            )
            return Answered(
                error.response(headers: headers, retryAfter: tooMany.seconds),
                error: error
            )
        case FormRefusal.invalid(let error):
            return Answered(error.response(headers: headers, issuer: issuer), error: error)
        case FormRefusal.tooLong:
            return Answered(Response(empty: .contentTooLarge, headers: headers))
        case is StoreBusy:
            let error = OAuthError(.temporarilyUnavailable, "The server is busy.")
            return Answered(error.response(headers: headers), error: error)
        default:
            return Answered(internalError(error, visit).response(headers: headers))
        }
    }

    /// An unknown error says its id and nothing else (WEB-ERR-1); the log has the rest.
    private func internalError(_ error: any Error, _ visit: RealmVisit) -> OAuthError {
        events.failed(error, visit)
        return OAuthError(.serverError, "Something went wrong here.")
    }

    private func name(of error: any Error, _ visit: RealmVisit) -> String {
        switch error {
        case let refusal as AuthorizationRefusal:
            switch refusal {
            case .page(let error, _, _), .redirect(let error, _): error.code.rawValue
            }
        case let refusal as SignOutRefusal: refusal.error.code.rawValue
        case is FlowLoss: "flow_lost"
        case is ForgedForm: "forged_form"
        case is TooManyRequests: "too_many_requests"
        case is FormRefusal: "invalid_form"
        case is StoreBusy, is PasswordHashing.Busy: "busy"
        case is NotOffered: "not_offered"
        default: "server_error"
        }
    }

    // MARK: People

    private func forPeople(_ error: any Error, _ visit: RealmVisit) -> Answered {
        switch error {
        case AuthorizationRefusal.redirect(let error, let target):
            let parameters = target.failure(error)
            return Answered(page.respond(target, parameters, visit.visit), error: error)
        case AuthorizationRefusal.page(let error, let clientID, let problem):
            let issue: ErrorPage.Issue =
                switch problem {
                case .unknownClient: .unknownClient
                case .unknownRedirect: .unknownRedirect
                case nil: .requestNotUnderstood
                }
            return Answered(
                self.error(issue, error, clientID, visit, .badRequest),
                error: error
            )
        case let error as OAuthError:
            let issue = ErrorPage.Issue(oauthError: error.code.rawValue)
            return Answered(self.error(issue, error, nil, visit, error.status), error: error)
        case let refusal as SignOutRefusal:
            return Answered(
                self.error(
                    refusal.issue,
                    refusal.error,
                    refusal.clientID,
                    visit,
                    .badRequest
                ),
                error: refusal.error
            )
        case FormRefusal.invalid(let error):
            return Answered(
                self.error(.requestNotUnderstood, error, nil, visit, .badRequest),
                error: error
            )
        case FormRefusal.tooLong:
            return Answered(self.error(.tooLarge, "too_large", nil, visit, .contentTooLarge))
        case let loss as FlowLoss:
            return Answered(self.page(loss, visit))
        case is ForgedForm:
            return Answered(self.error(.notAllowed, "forged_form", nil, visit, .forbidden))
        case is StoreBusy, is PasswordHashing.Busy:
            return Answered(self.error(.busy, "busy", nil, visit, .serviceUnavailable))
        case let tooMany as TooManyRequests:
            return Answered(self.page(tooMany, visit))
        case is NotOffered:
            return Answered(notFound(visit.visit))
        default:
            events.failed(error, visit)
            return Answered(
                self.error(.serverError, "server_error", nil, visit, .internalServerError)
            )
        }
    }

    private func page(_ loss: FlowLoss, _ visit: RealmVisit) -> Response {
        switch loss.reason {
        case .noCookie:
            page(CookiesBlockedPage(restart: loss.restart), visit.visit, status: .forbidden)
        case .unmatched:
            page(
                ExpiredPage(reason: .unmatched, restart: loss.restart),
                visit.visit,
                status: .forbidden
            )
        case .tookTooLong:
            page(
                ExpiredPage(
                    reason: .tookTooLong(minutes: Int(AuthorizationFlow.patience / 60)),
                    restart: loss.restart
                ),
                visit.visit,
                status: .badRequest
            )
        case .answered:
            page(
                ExpiredPage(reason: .answered, restart: loss.restart),
                visit.visit,
                status: .badRequest
            )
        }
    }

    private func page(_ tooMany: TooManyRequests, _ visit: RealmVisit) -> Response {
        let whole = Int(exactly: min(max(tooMany.seconds.rounded(.up), 1), 86_400)) ?? 86_400
        return page(
            ErrorPage(issue: .tooManyTries(seconds: whole)),
            visit.visit,
            status: .tooManyRequests,
            retryAfter: Double(whole)
        )
    }

    private func error(
        _ issue: ErrorPage.Issue,
        _ code: String,
        _ clientID: String?,
        _ visit: RealmVisit,
        _ status: HTTPResponse.Status
    ) -> Response {
        let details = ErrorPage.Details(code: code, clientID: clientID, time: visit.moment.now)
        return page(ErrorPage(issue: issue, details: details), visit.visit, status: status)
    }

    /// The description is for whoever builds the app: it names the rule that was broken.
    private func error(
        _ issue: ErrorPage.Issue,
        _ error: OAuthError,
        _ clientID: String?,
        _ visit: RealmVisit,
        _ status: HTTPResponse.Status
    ) -> Response {
        let details = ErrorPage.Details(error, clientID: clientID, at: visit.moment)
        return page(ErrorPage(issue: issue, details: details), visit.visit, status: status)
    }
}

extension ErrorPage.Details {
    init(_ error: OAuthError, clientID: String?, at moment: Moment) {
        self.init(
            code: error.code.rawValue,
            description: error.description,
            clientID: clientID,
            time: moment.now
        )
    }
}

extension Answered {
    fileprivate init(_ response: Response, error: OAuthError?) {
        self.init(response)
        self.error = error?.code.rawValue
    }
}

/// What a program gets at an address that is for people otherwise.
struct ProgramRefusal: Error {
    let error: any Error
}

/// Too many wrong guesses: 429 (RFC 6585 §4).
struct TooManyRequests: Error {
    let seconds: Double
}

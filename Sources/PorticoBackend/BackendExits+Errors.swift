import HTTPTypes
import Hummingbird
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// How every error leaves: JSON for programs, a page with plain words and an id for people.
extension BackendExits {
    func methodNotAllowed(
        _ methods: [HTTPRequest.Method],
        _ route: BackendRoute,
        _ visit: BackendVisit
    ) -> Response {
        let allow = Response(methodNotAllowedBut: methods, headers: headers)
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
        case is StoreBusy:
            refusal = BackendError(.busy, "The server is busy.", retryAfter: Response.whenBusy)
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

extension BackendError {
    /// What a person reads of it.
    fileprivate var issue: ErrorPage.Issue {
        switch code {
        case .notFound, .invalidProvider: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .tooLarge: .tooLarge
        case .rateLimited: .tooManyTries(seconds: Int(clamping: Int64(retryAfter ?? 60)))
        case .busy: .busy
        case .forbidden, .accessDenied, .reauthenticationRequired, .unauthorized: .notAllowed
        case .accountBlocked: .accountBlocked
        case .internalError, .providerError, .providerUnreachable: .serverError
        case .invalidRequest, .missingParameter, .invalidApp, .invalidGrant, .invalidState,
            .invalidToken, .lastWay, .linkRequired, .signUpClosed, .conflict,
            .unsupportedMediaType:
            .requestNotUnderstood
        }
    }
}

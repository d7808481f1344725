import HTTPTypes
package import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
package import PorticoWeb

/// Why the sign-in core or the backend refuses a request, as listed in docs/openapi.yaml (docs/decisions/0029).
package struct ServiceError: Refusal, Hashable {
    package let code: Code
    /// A literal, so that it holds neither secrets nor foreign text.
    let message: String
    /// For 429 and 503: how many seconds to wait.
    let retryAfter: Double?

    package enum Code: String, CaseIterable, Sendable {
        case invalidRequest = "invalid_request"
        case missingParameter = "missing_parameter"
        case invalidProvider = "invalid_provider"
        case invalidApp = "invalid_app"
        case invalidGrant = "invalid_grant"
        case invalidState = "invalid_state"
        case invalidToken = "invalid_token"
        case unauthorized
        case accessDenied = "access_denied"
        case forbidden
        case reauthenticationRequired = "reauthentication_required"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case lastWay = "last_way"
        case linkRequired = "link_required"
        case signUpClosed = "sign_up_closed"
        case accountBlocked = "account_blocked"
        case conflict
        case unsupportedMediaType = "unsupported_media_type"
        case tooLarge = "too_large"
        case rateLimited = "rate_limited"
        case providerError = "provider_error"
        case providerUnreachable = "provider_unreachable"
        case handleNotFound = "handle_not_found"
        case hostUnreachable = "host_unreachable"
        case busy
        case internalError = "internal_error"

        var status: HTTPResponse.Status {
            switch self {
            case .invalidRequest, .missingParameter, .invalidProvider, .invalidApp, .invalidGrant:
                .badRequest
            case .invalidState, .unauthorized, .invalidToken: .unauthorized
            case .accessDenied, .forbidden, .reauthenticationRequired, .signUpClosed,
                .accountBlocked:
                .forbidden
            case .notFound, .handleNotFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .lastWay, .linkRequired, .conflict: .conflict
            case .unsupportedMediaType: .unsupportedMediaType
            case .tooLarge: .contentTooLarge
            case .rateLimited: .tooManyRequests
            case .providerError: .badGateway
            case .providerUnreachable, .hostUnreachable, .busy: .serviceUnavailable
            case .internalError: .internalServerError
            }
        }
    }

    package init(_ code: Code, _ message: StaticString, retryAfter: Double? = nil) {
        self.code = code
        self.message = "\(message)"
        self.retryAfter = retryAfter
    }

    /// - Parameters:
    ///   - parameter: The name of the parameter that is wrong, of ours and not of the request.
    ///   - problem: The rest of the sentence, a literal too.
    init(_ code: Code, parameter: StaticString, _ problem: StaticString) {
        self.code = code
        message = "\(parameter) \(problem)"
        retryAfter = nil
    }

    package static let busy = ServiceError(
        .busy,
        "The server is busy.",
        retryAfter: Response.whenBusy
    )

    static let cannotSave = ServiceError(
        .busy,
        "The server cannot save anything now.",
        retryAfter: Unavailable.cannotSave.retryAfter
    )

    package static let methodNotAllowed = ServiceError(
        .methodNotAllowed,
        "The method is not one of this address."
    )

    var name: String { code.rawValue }
    var status: HTTPResponse.Status { code.status }

    /// `{error, message}` for programs.
    var json: JSONValue? { ["error": .string(code.rawValue), "message": .string(message)] }

    package func response(headers: SecurityHeaders) -> Response {
        Response(
            json: json ?? .null,
            status: status,
            headers: headers,
            adding: retryAfter.map(Response.retryAfter) ?? [:]
        ).logged(error: name)
    }

    func page(at moment: Moment) -> any Page { page(at: moment, backTo: .backend) }

    func page(at moment: Moment, backTo place: SignInPlace) -> any Page {
        guard code != .methodNotAllowed else { return ErrorPage(issue: issue) }
        return ErrorPage(
            issue: issue,
            back: PageLink(path: place.home),
            details: ErrorPage.Details(code: name, description: message, time: moment.now)
        )
    }

    var issue: ErrorPage.Issue {
        switch code {
        case .notFound, .handleNotFound, .invalidProvider: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .tooLarge: .tooLarge
        case .rateLimited: .tooManyTries(seconds: Int(clamping: Int64(retryAfter ?? 60)))
        case .busy: .busy
        case .forbidden, .accessDenied, .reauthenticationRequired, .unauthorized: .notAllowed
        case .accountBlocked: .accountBlocked
        case .internalError, .providerError, .providerUnreachable, .hostUnreachable: .serverError
        case .invalidRequest, .missingParameter, .invalidApp, .invalidGrant, .invalidState,
            .invalidToken, .lastWay, .linkRequired, .signUpClosed, .conflict,
            .unsupportedMediaType:
            .requestNotUnderstood
        }
    }
}

extension ServiceError {
    /// A provider that cannot be reached now, or is misconfigured.
    package init(starting error: SignInError) {
        switch error.kind {
        case .transient:
            self.init(.providerUnreachable, "The provider does not answer.", retryAfter: 5)
        default: self.init(.providerError, "The provider's settings do not work.")
        }
    }
}

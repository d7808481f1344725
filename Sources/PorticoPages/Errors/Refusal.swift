package import HTTPTypes
package import PorticoBytes
package import PorticoProtocol
package import PorticoWeb

/// Why a request is not served, and what its reader is told (RFC 6749 §5.2, RFC 6750 §3.1).
///
/// Each error says so itself: there is no list to forget it in. A test names every error of the
/// services that is none and is not caught before it leaves.
package protocol Refusal: Error, Sendable {
    /// What a program and the log read: `invalid_grant`.
    var name: String { get }
    var status: HTTPResponse.Status { get }
    /// 429 and 503: how many seconds to wait.
    var retryAfter: Double? { get }
    /// What a person reads.
    var issue: ErrorPage.Issue { get }
    /// Names the broken rule, for the app's developer.
    var reason: String? { get }

    /// The whole page, where ``issue`` is not all of it.
    func page(at moment: Moment) -> any Page

    /// The document for programs; `nil` where the status says all.
    var json: JSONValue? { get }

    /// What else goes into the header: challenges, cookies.
    ///
    /// - Parameter realm: The protection space of a challenge (RFC 9110 §11.5): the issuer.
    func fields(realm: String) -> HTTPFields
}

extension Refusal {
    package var retryAfter: Double? {
        status == .serviceUnavailable ? Response.whenBusy : nil
    }

    package var issue: ErrorPage.Issue { .requestNotUnderstood }

    package var reason: String? { nil }

    package func page(at moment: Moment) -> any Page {
        ErrorPage(
            issue: issue,
            details: ErrorPage.Details(code: name, description: reason, time: moment.now)
        )
    }

    package var json: JSONValue? {
        var object: JSONObject = ["error": .string(name)]
        if let reason { object["error_description"] = .string(reason) }
        return .object(object)
    }

    package func fields(realm: String) -> HTTPFields { [:] }
}

extension ForeignRequest: Refusal {
    package var name: String { "forbidden" }
    package var status: HTTPResponse.Status { .forbidden }
    package var issue: ErrorPage.Issue { .notAllowed }

    package var json: JSONValue? {
        ["error": .string(name), "message": "The request comes from another site."]
    }
}

/// The server cannot answer now, for a reason of its own. What it was is in the log and nowhere else
/// (WEB-ERR-1).
package enum Unavailable: Refusal {
    /// Too much waits.
    case busy
    /// Nothing can be written: the disk is full, for instance. The log has it once (`WriteTrouble`).
    case cannotSave
    case failed

    package var name: String {
        switch self {
        case .busy: "busy"
        case .cannotSave: "cannot_save"
        case .failed: "server_error"
        }
    }

    package var status: HTTPResponse.Status {
        self == .failed ? .internalServerError : .serviceUnavailable
    }

    /// Someone has to make room first.
    package var retryAfter: Double? {
        switch self {
        case .busy: Response.whenBusy
        case .cannotSave: 60
        case .failed: nil
        }
    }

    package var issue: ErrorPage.Issue {
        switch self {
        case .busy: .busy
        case .cannotSave: .cannotSave
        case .failed: .serverError
        }
    }

    /// RFC 6749 §4.1.2.1 has words for all.
    package var json: JSONValue? {
        let error =
            switch self {
            case .busy: OAuthError(.temporarilyUnavailable, "The server is busy.")
            case .cannotSave:
                OAuthError(.temporarilyUnavailable, "The server cannot save anything now.")
            case .failed: OAuthError(.serverError, "Something went wrong here.")
            }
        return error.json
    }
}

/// Nothing is at this address.
package struct NotFound: Refusal {
    package init() {}

    package var name: String { "not_found" }
    package var status: HTTPResponse.Status { .notFound }
    package var issue: ErrorPage.Issue { .notFound }
    package var reason: String? { "Nothing is at this address." }

    package func page(at moment: Moment) -> any Page { ErrorPage(issue: .notFound) }
}

/// RFC 9110 §15.5.6.
package struct MethodNotAllowed: Refusal {
    package init() {}

    package var name: String { "method_not_allowed" }
    package var status: HTTPResponse.Status { .methodNotAllowed }
    package var issue: ErrorPage.Issue { .methodNotAllowed }
    package var reason: String? { "This address takes another method; Allow names it." }

    package func page(at moment: Moment) -> any Page { ErrorPage(issue: .methodNotAllowed) }
}

/// Too many wrong guesses: 429 (RFC 6585 §4).
package struct TooManyRequests: Refusal {
    private let seconds: Double

    package init(seconds: Double) {
        self.seconds = seconds
    }

    package var name: String { "too_many_requests" }
    package var status: HTTPResponse.Status { .tooManyRequests }
    package var retryAfter: Double? { seconds }

    /// Whole seconds, at least one.
    private var whole: Int {
        Int(exactly: min(max(seconds.rounded(.up), 1), 86_400)) ?? 86_400
    }

    package func page(at moment: Moment) -> any Page {
        ErrorPage(issue: .tooManyTries(seconds: whole))
    }

    package var json: JSONValue? {
        OAuthError(.temporarilyUnavailable, "Too many requests of this kind; wait a while.").json
    }
}

extension FormRefusal: Refusal {
    package var name: String {
        switch self {
        case .tooLong: "too_large"
        case .mediaType: OAuthError.Code.invalidRequest.rawValue
        case .invalid(let error): error.code.rawValue
        }
    }

    package var status: HTTPResponse.Status {
        switch self {
        case .tooLong: .contentTooLarge
        case .mediaType: .unsupportedMediaType
        case .invalid: .badRequest
        }
    }

    package var issue: ErrorPage.Issue { self == .tooLong ? .tooLarge : .requestNotUnderstood }

    package var reason: String? { error?.description }

    package var json: JSONValue? { error?.json }

    private var error: OAuthError? {
        switch self {
        case .tooLong: nil
        case .mediaType: OAuthError(.invalidRequest, "The Content-Type must be a form or JSON.")
        case .invalid(let error): error
        }
    }
}

extension OAuthError: Refusal {
    package var name: String { code.rawValue }
    package var issue: ErrorPage.Issue { ErrorPage.Issue(oauthError: code.rawValue) }
    package var reason: String? { description }

    /// RFC 6749 §5.2 shows it beside `Cache-Control`.
    package func fields(realm: String) -> HTTPFields {
        [.pragma: "no-cache"]
    }
}

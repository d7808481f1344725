import HTTPTypes
import PorticoBytes
import PorticoPages

/// A form or address came back without its authorization request.
struct LostRequest: Refusal {
    enum Reason: Sendable {
        /// The browser does not keep cookies.
        case noCookie
        /// From another browser, or not one of ours.
        case unmatched
        case tookTooLong
    }

    private let lost: Reason
    /// Restarts the same request, if it can be read.
    private let restart: PageLink?

    init(_ reason: Reason, restart: PageLink?) {
        lost = reason
        self.restart = restart
    }

    /// Whether the browser is known to keep cookies, or had time to lose them.
    var keepsCookies: Bool { lost != .noCookie }

    var name: String { "flow_lost" }

    var status: HTTPResponse.Status {
        switch lost {
        case .noCookie, .unmatched: .forbidden
        case .tookTooLong: .badRequest
        }
    }

    func page(at moment: Moment) -> any Page {
        switch lost {
        case .noCookie: CookiesBlockedPage(restart: restart)
        case .unmatched: ExpiredPage(reason: .unmatched, restart: restart)
        case .tookTooLong:
            ExpiredPage(
                reason: .tookTooLong(minutes: Int(AuthorizationFlow.patience / 60)),
                restart: restart
            )
        }
    }
}

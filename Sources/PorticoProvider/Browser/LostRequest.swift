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
        /// The request already had its code.
        case answered
    }

    private let lost: Reason
    /// Restarts the same request, if it can be read.
    private let restart: PageLink?

    init(_ reason: Reason, restart: PageLink?) {
        lost = reason
        self.restart = restart
    }

    var name: String { "flow_lost" }

    var status: HTTPResponse.Status {
        switch lost {
        case .noCookie, .unmatched: .forbidden
        case .tookTooLong, .answered: .badRequest
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
        case .answered: ExpiredPage(reason: .answered, restart: restart)
        }
    }
}

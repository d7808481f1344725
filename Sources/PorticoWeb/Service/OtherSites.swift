import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// Which pages of other sites may have a visitor's browser send a request to a row (Fetch Metadata
/// §2; docs/decisions/0093).
///
/// Judged before anything is counted, so that such a page cannot use up what its visitors, and
/// everybody at their address, may do.
package enum OtherSites: Sendable {
    /// The row says so itself, or scripts of other origins may read its answer.
    case any
    /// A row that begins or ends a sign-in in a browser: only those that lead a person there, whose
    /// requests count apart. What no one sees is refused, unless it is as `or` says.
    case visible(or: @Sendable (RequestContext) -> Bool)
    /// A row that other sites' scripts may use: only they, and their requests count apart.
    case scripts
    /// A row that only programs use.
    case none

    package static let shown = OtherSites.visible { _ in false }

    enum Verdict: Hashable, Sendable {
        case admitted
        /// Another site's page leads a person here, or its script asks.
        case ledHere
        case refused
    }

    func judge(_ request: RequestContext) -> Verdict {
        let headers = request.received.headers
        switch self {
        case .any: return .admitted
        case .none:
            let own = request.received.head.authority ?? ""
            let isOther = FetchSite.isOtherSite(headers) { origin in
                HTTPAddress(origin).map { sameBytes($0.authority, own) } ?? false
            }
            return isOther ? .refused : .admitted
        case .scripts:
            guard FetchSite.saysOtherSite(headers) else { return .admitted }
            return FetchSite.isByScript(headers) ? .ledHere : .refused
        case .visible(let isUsual):
            guard FetchSite.saysOtherSite(headers) else { return .admitted }
            return FetchSite.isShown(headers) || isUsual(request) ? .ledHere : .refused
        }
    }
}

/// A request of another site's page, at a row that takes none of that kind. It was not counted.
package struct ForeignRequest: Error {
    package init() {}
}

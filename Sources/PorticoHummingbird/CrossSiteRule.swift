import HTTPTypes
import Hummingbird
import PorticoProtocol

/// Whether a request with a cookie may be the person's own, and not that of a foreign page (Fetch
/// Metadata §2.3; OWASP ASVS 3.5).
enum CrossSiteRule {
    static func permits(_ request: Request) -> Bool {
        isSafe(request) || isOwn(request.headers)
    }

    /// Changes nothing (RFC 9110 §9.2.1). A request to open a WebSocket is not safe: data is then
    /// read and written through it.
    private static func isSafe(_ request: Request) -> Bool {
        guard !request.headers.contains(.upgrade) else { return false }
        switch request.method {
        case .get, .head, .options: return true
        default: return false
        }
    }

    /// Browsers let no page set the one, and the other only if this service allows it by CORS.
    private static func isOwn(_ fields: HTTPFields) -> Bool {
        if fields[values: .portico] == ["1"] { return true }
        let sites = fields[values: .fetchSite]
        return sites == ["same-origin"] || sites == ["none"]
    }
}

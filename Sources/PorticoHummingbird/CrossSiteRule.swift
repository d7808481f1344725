import HTTPTypes
import Hummingbird
import PorticoProtocol

/// Whether a request with a cookie may be the person's own, and not that of a foreign page (Fetch
/// Metadata §2.3; OWASP ASVS 3.5).
enum CrossSiteRule {
    /// - Parameter mayBeApp: Whether a program that is no browser may have such a cookie.
    static func permits(_ request: Request, ofApp mayBeApp: Bool = false) -> Bool {
        isSafe(request) || isOwn(request.headers) || mayBeApp && isOfNoBrowser(request.headers)
    }

    /// Browsers say where a request that is not safe comes from, by one field or the other.
    private static func isOfNoBrowser(_ fields: HTTPFields) -> Bool {
        let told: [HTTPField.Name] = [.origin, .fetchSite, .fetchMode, .fetchDestination]
        return !told.contains(where: fields.contains)
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

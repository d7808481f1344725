import HTTPTypes
import PorticoWeb

/// Whether a request that changes something was made by our page or by an app, and not by another
/// site in the person's browser (WEB-CSRF-3, WEB-CSRF-4).
enum RequestOrigin {
    /// For programs that send the session cookie: the browser itself reports `same-origin`, or the
    /// request has the header `X-Portico: 1`, which no other site can add without a preflight that
    /// we never answer.
    static func permitsChange(_ headers: HTTPFields) -> Bool {
        let site = headers[values: .fetchSite]
        guard site.isEmpty || site == ["same-origin"] else { return false }
        return headers[values: .portico] == ["1"] || site == ["same-origin"]
    }
}

import HTTPTypes
import PorticoBytes
import PorticoProtocol

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

    /// For addresses that answer with what other servers say. The header is asked for always, also of
    /// apps: a browser sends it for no link, frame or script, so that no such answer becomes a page or a
    /// program of our origin.
    static func permitsProxying(_ headers: HTTPFields) -> Bool {
        headers[values: .portico] == ["1"] && ["same-origin", nil].contains(headers[.fetchSite])
    }

    /// Whether the browser says that another site's page made the request. A request that says nothing
    /// has our cookie only if it is no post of another site (`SameSite=Lax`).
    ///
    /// - Parameter own: Our origin: browsers without `Sec-Fetch-Site` say only where a post came from.
    static func isOtherSite(_ headers: HTTPFields, than own: String) -> Bool {
        let site = headers[values: .fetchSite]
        guard site.isEmpty else { return site != ["same-origin"] && !isOfNoPage(headers) }
        return headers[values: .origin].contains { !sameBytes($0, own) }
    }

    /// Whether a page is shown to a person for it, and no picture, frame or script of another page asks.
    /// Browsers that say nothing of it may.
    static func isShown(_ headers: HTTPFields) -> Bool {
        let (mode, place) = (headers[values: .fetchMode], headers[values: .fetchDestination])
        return (mode.isEmpty || mode == ["navigate"]) && (place.isEmpty || place == ["document"])
    }

    /// Whether the browser says that no page made the request: a person opened an address, of a mail or
    /// a code that was scanned, and someone else may have made that.
    static func isOfNoPage(_ headers: HTTPFields) -> Bool {
        headers[values: .fetchSite] == ["none"]
    }
}

package import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// Whether a request that changes something was made by our page or by an app, and not by another
/// site in the person's browser (WEB-CSRF-3, WEB-CSRF-4).
package enum RequestOrigin {
    /// For programs that send the session cookie: the browser itself reports `same-origin`, or the
    /// request has the header `X-Portico: 1`, which no other site can add without a preflight that
    /// we never answer.
    package static func permitsChange(_ headers: HTTPFields) -> Bool {
        let site = headers[values: .fetchSite]
        guard site.isEmpty || site == ["same-origin"] else { return false }
        return headers[values: .portico] == ["1"] || site == ["same-origin"]
    }

    /// For addresses that answer with what other servers say. The header is asked for always, also of
    /// apps: a browser sends it for no link, frame or script, so that no such answer becomes a page or a
    /// program of our origin.
    package static func permitsProxying(_ headers: HTTPFields) -> Bool {
        headers[values: .portico] == ["1"] && ["same-origin", nil].contains(headers[.fetchSite])
    }

    /// For calls of a person's host. The libraries of apps that are there cannot add the header, so a
    /// program that is no browser needs none: it says neither where a request comes from nor that it
    /// wants a page (docs/decisions/0063).
    package static func permitsHostCall(_ headers: HTTPFields) -> Bool {
        if permitsProxying(headers) { return true }
        let browsers: [HTTPField.Name] = [
            .portico, .origin, .fetchSite, .fetchMode, .fetchDestination, .fetchPurpose,
        ]
        let wantsPage = headers[values: .accept].contains {
            $0.lowercased().hasBytes("text/html")
        }
        return !wantsPage && !browsers.contains(where: headers.contains)
    }

    /// Whether the browser says that another site's page made the request. A request that says nothing
    /// has our cookie only if it is no post of another site (`SameSite=Lax`).
    ///
    /// - Parameter own: Our origin: browsers without `Sec-Fetch-Site` say only where a post came from.
    package static func isOtherSite(_ headers: HTTPFields, than own: String) -> Bool {
        FetchSite.isOtherSite(headers) { sameBytes($0, own) }
    }
}

/// A web view in another app, where Google refuses sign-in (PRV-G-11, RFC 8252 §8.12).
enum EmbeddedBrowser {
    /// - Parameter userAgent: As received. A web view that does not identify itself cannot be
    ///   detected.
    static func isOne(_ userAgent: String?) -> Bool {
        guard let userAgent else { return false }
        return marks.contains(where: userAgent.hasBytes)
    }

    /// The system that the instructions are for.
    static func platform(_ userAgent: String?) -> OpenInBrowserPage.Platform {
        let agent = userAgent ?? ""
        if agent.hasBytes("iPhone") || agent.hasBytes("iPad") { return .ios }
        return agent.hasBytes("Android") ? .android : .other
    }

    private static let marks: [StaticString] = [
        "; wv)", "FBAN/", "FBAV/", "Instagram", "LinkedInApp", "Line/", "MicroMessenger",
        "Snapchat", "TikTok", "musical_ly", "Twitter for", "GSA/",
    ]
}

import HTTPTypes
import Hummingbird
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The one way in which a page leaves the Provider.
struct PageExit: Sendable {
    let renderer: PageRenderer
    let headers: SecurityHeaders
    /// Whether the public URL is http on this machine, and says so on every page.
    let isInsecureLoopback: Bool

    /// - Parameter redirect: Where the page's form may lead in the end, proven before.
    func callAsFunction(
        _ page: some Page,
        _ visit: Visit,
        status: HTTPResponse.Status = .ok,
        redirecting redirect: RedirectURI? = nil,
        cookies: [HTTPField] = [],
        retryAfter seconds: Double? = nil
    ) -> Response {
        let policy = PagePolicy.page(
            style: renderer.styleHash,
            redirectingTo: redirect
        )
        var response = Response(
            page: html(page, visit),
            status: status,
            policy: policy,
            headers: headers,
            cookies: cookies
        )
        if let seconds = seconds ?? (status == .serviceUnavailable ? Response.whenBusy : nil) {
            response.headers.append(contentsOf: Response.retryAfter(seconds))
        }
        return response
    }

    /// The authorization response: a redirect, or a form that posts it (RFC 6749 §4.1.2, OAuth 2.0
    /// Form Post Response Mode §2).
    func respond(
        _ target: AuthorizationTarget,
        _ parameters: AuthorizationTarget.Parameters,
        _ visit: Visit,
        cookies: [HTTPField] = []
    ) -> Response {
        if let location = target.location(parameters) {
            if let redirect = Redirect(to: location) {
                return Response(redirect, headers: headers, cookies: cookies)
            }
        } else if let action = PageLink(redirect: target.redirect.uri.text) {
            let page = FormPostPage(
                client: target.clientName,
                action: action,
                parameters: parameters.map { FormPostPage.Parameter($0.name, $0.value) }
            )
            let policy = PagePolicy.formPost(
                style: renderer.styleHash,
                script: FormPostPage.scriptHash,
                to: target.redirect.uri
            )
            return Response(
                page: html(page, visit),
                policy: policy,
                headers: headers,
                cookies: cookies
            )
        }
        // Registration admits no redirect URI that cannot be written into a header.
        return self(ErrorPage(issue: .serverError), visit, status: .internalServerError)
    }

    private func html(_ page: some Page, _ visit: Visit) -> [UInt8] {
        let frame = PageFrame(
            realm: visit.realm?.realm.displayName,
            reference: visit.requestID,
            notice: isInsecureLoopback ? .withoutHTTPS : nil
        )
        return Array(renderer.html(page, in: visit.language, frame: frame).utf8)
    }
}

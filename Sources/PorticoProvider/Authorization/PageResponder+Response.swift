import HTTPTypes
import PorticoPages
import PorticoProtocol
import PorticoWeb

extension PageResponder {
    /// The authorization response: a redirect, or a form that posts it (RFC 6749 §4.1.2, OAuth 2.0
    /// Form Post Response Mode §2).
    func respond(
        _ target: AuthorizationTarget,
        _ parameters: AuthorizationTarget.Parameters,
        _ context: RealmContext,
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
                script: FormPostPage.scriptHash
            )
            return Response(
                page: html(page, context),
                policy: policy,
                headers: headers,
                cookies: cookies
            )
        }
        // Registration accepts no redirect URI that cannot be written into a header.
        return self(ErrorPage(issue: .serverError), context, status: .internalServerError)
    }
}

import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// Forms of the BFF's pages, each bound to the browser it was shown in (WEB-CSRF-1).
struct PageForms: Sendable {
    let tokens: FormToken
    let cookies: SessionCookies

    /// A form, and the cookie that it is bound to where the browser does not have one yet.
    ///
    /// - Parameters:
    ///   - purpose: What the form does, a literal.
    ///   - transaction: What it does it to: the session's id, or an attempt's.
    ///   - carried: What the form brings back unseen.
    func form(
        _ path: BackendPageRoute,
        _ purpose: StaticString,
        _ transaction: String,
        _ visit: BackendVisit,
        carrying carried: [PageField] = []
    ) throws -> (form: PageForm, cookies: [HTTPField]) {
        var fields: [HTTPField] = []
        let cookie: String
        if let known = cookies.visit(visit.headers) {
            cookie = known
        } else {
            cookie = FormToken.cookie(random: visit.moment.random)
            fields.append(try cookies.setVisit(cookie))
        }
        let token = tokens.token(form: purpose, transaction: transaction, cookie: cookie)
        return (PageForm(action: path.rawValue, csrf: token, fields: carried), fields)
    }

    /// The cookie that forms are bound to, for a browser that does not bring one.
    func newVisit(_ visit: BackendVisit) throws -> HTTPField {
        try cookies.setVisit(FormToken.cookie(random: visit.moment.random))
    }

    /// The body of a form that a page of ours in this browser sent.
    ///
    /// - Throws: `forbidden` where it is not.
    func checked(_ purpose: StaticString, _ transaction: String, _ visit: BackendVisit)
        async throws(BackendError) -> FormParameters
    {
        guard FetchSite.permitsPost(visit.headers) else { throw Self.forged }
        let body = try await visit.form()
        guard
            tokens.isValid(
                body["csrf"],
                form: purpose,
                transaction: transaction,
                cookie: cookies.visit(visit.headers)
            )
        else { throw Self.forged }
        return body
    }

    private static let forged = BackendError(
        .forbidden,
        "The form did not come from a page of this server in this browser."
    )
}

import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// Forms of the BFF's pages, each bound to the browser it was shown in (WEB-CSRF-1).
struct PageForms: Sendable {
    let forms: GuardedForms
    let cookies: SessionCookies

    /// A form, and the cookie that it is bound to if the browser does not have one yet.
    ///
    /// - Parameters:
    ///   - purpose: What the form does, a literal.
    ///   - transaction: What it acts on: the session's id, or an attempt's.
    ///   - carried: Hidden fields of the form.
    func form(
        _ path: BackendPath,
        _ purpose: StaticString,
        _ transaction: String,
        _ context: BackendContext,
        carrying carried: [PageField] = []
    ) throws -> (form: PageForm, cookies: [HTTPField]) {
        let browser = try cookies.form.browser(context)
        let form = forms.form(path.rawValue, purpose, transaction, in: browser, fields: carried)
        return (form, browser.cookies)
    }

    /// The cookie that forms are bound to, for a browser without one.
    func newCookie(_ context: BackendContext) throws -> HTTPField {
        try cookies.form.set(FormToken.cookie(random: context.moment.random))
    }

    /// The body of a form that was submitted by our page in this browser.
    ///
    /// - Throws: `forbidden` if it was not.
    func checked(_ purpose: StaticString, _ transaction: String, _ context: BackendContext)
        throws(BackendError) -> FormParameters
    {
        let body = try context.form()
        let cookie = cookies.form.value(context.headers)
        do {
            try forms.check(body, purpose, transaction, cookie: cookie, context)
        } catch {
            throw Self.forged
        }
        return body
    }

    private static let forged = BackendError(
        .forbidden,
        "The form did not come from a page of this server in this browser."
    )
}

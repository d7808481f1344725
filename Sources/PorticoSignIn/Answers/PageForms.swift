package import HTTPTypes
import PorticoBytes
package import PorticoPages
package import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// Forms of the pages of one place, each bound to the browser it was shown in (WEB-CSRF-1).
package struct PageForms: Sendable {
    package let forms: GuardedForms
    package let cookies: SessionCookies
    let place: SignInPlace
    /// Forms that were good once, and did what they say, with the first answer.
    let sent: SentForms<Response>

    /// A form, and the cookie that it is bound to if the browser does not have one yet.
    ///
    /// - Parameters:
    ///   - purpose: What the form does, a literal.
    ///   - transaction: What it acts on: the session's id, or an attempt's.
    ///   - carried: Hidden fields of the form.
    package func form(
        _ path: SignInPath,
        _ purpose: StaticString,
        _ transaction: String,
        _ context: SignInContext,
        carrying carried: [PageField] = []
    ) throws -> (form: PageForm, cookies: [HTTPField]) {
        let browser = try cookies.form.browser(context)
        // The page that answers a form has another one: what it asks for is done once more.
        let own = context.method == .post ? [PageField("answer", context.requestID)] : []
        let form = forms.form(
            place.address(of: path),
            purpose,
            transaction,
            in: browser,
            fields: carried + own
        )
        return (form, browser.cookies)
    }

    /// Works on a form that is good once and comes from this browser.
    ///
    /// - Parameters:
    ///   - again: The answer to the very same one, from the first: that as it is, unless it has a code, or
    ///     the cookie of a session.
    ///   - body: Returns whether that was done.
    package func once(
        _ form: FormParameters,
        _ context: SignInContext,
        again: (Response) async throws -> Response = { $0 },
        _ body: () async throws -> (Response, isDone: Bool)
    ) async throws -> Response {
        let known = SentForm(form, of: context.target.path)
        return try await sent(known, at: context.now) { deed in
            if let deed { return try await again(deed) }
            let (response, isDone) = try await body()
            if isDone { sent.note(response, of: known, at: context.now) }
            return response
        }
    }

    /// The cookie that forms are bound to, for a browser without one.
    func newCookie(_ context: SignInContext) throws -> HTTPField {
        try cookies.form.set(FormToken.cookie(random: context.moment.random))
    }

    /// The body of a form that was submitted by our page in this browser.
    ///
    /// - Throws: `forbidden` if it was not, ``OutdatedForm`` if its page was about something else, or only
    ///   the browser says that it was: its cookie is lost, or was replaced by another tab's.
    package func checked(_ purpose: StaticString, _ transaction: String, _ context: SignInContext)
        throws
        -> FormParameters
    {
        let body = try ours(purpose, context)
        try check(body, isAbout: transaction, context)
        return body
    }

    /// The same for a page that is shown again with what was typed.
    ///
    /// - Returns: Whether it counts: not where only its cookie is lost, or was replaced.
    package func taken(_ purpose: StaticString, _ transaction: String, _ context: SignInContext)
        throws
        -> (body: FormParameters, counts: Bool)
    {
        do {
            return (try checked(purpose, transaction, context), true)
        } catch let outdated as OutdatedForm {
            let body = try context.form()
            guard forms.isAbout(transaction, body) else { throw outdated }
            return (body, false)
        }
    }

    /// The same, whatever it is about: for what is asked before anyone is known
    /// (``check(_:isAbout:_:)``).
    func ours(_ purpose: StaticString, _ context: SignInContext) throws -> FormParameters {
        let body = try context.form()
        let values = [cookies.form.value(context.headers)].compactMap(\.self)
        do {
            try forms.checkOrigin(body, purpose, cookies: values, context)
        } catch {
            guard FetchSite.saysOurs(context.headers) else { throw Self.forged }
            throw try outdated(body, context)
        }
        return body
    }

    func check(
        _ body: FormParameters,
        isAbout transaction: String,
        _ context: SignInContext
    ) throws {
        guard forms.isAbout(transaction, body) else { throw try outdated(body, context) }
    }

    /// - Throws: `forbidden` for a program, which reads no page.
    private func outdated(_ body: FormParameters, _ context: SignInContext) throws -> OutdatedForm {
        guard !context.wantsJSON else { throw Self.forged }
        return OutdatedForm(again: PageLink(path: context.page(of: body)))
    }

    private static let forged = ServiceError(
        .forbidden,
        "The form did not come from a page of this server in this browser."
    )
}

extension PersonSession {
    /// What a form of a signed-in person is about: one of before they signed in again in the same browser is
    /// outdated, also where their session went on.
    package var signIn: String { "\(id) \(authenticatedAt)" }
}

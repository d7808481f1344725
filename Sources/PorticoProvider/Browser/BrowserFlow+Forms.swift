import HTTPTypes
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// Whether a submitted form counts.
extension BrowserFlow {
    /// - Throws: ``ForgedForm`` if the form did not come from one of our pages in this browser (RFC
    ///   6749 §10.12), or does it to something else.
    func checkForm(
        _ purpose: StaticString,
        _ form: FormParameters,
        transaction: String,
        _ context: RealmContext
    ) async throws {
        try await checkOrigin(purpose, form, context)
        guard forms.isAbout(transaction, form) else { throw ForgedForm() }
    }

    /// - Throws: ``ForgedForm`` if the form did not come from one of our pages in this browser.
    func checkOrigin(_ purpose: StaticString, _ form: FormParameters, _ context: RealmContext)
        async throws
    {
        let cookies = try await values(context)
        try forms.checkOrigin(form, purpose, cookies: cookies, context)
    }

    /// Whether a form came from one of our pages in this browser. `false` where the browser says that it
    /// came from one, but its cookie is lost, or was replaced by another tab's: it does nothing, and its
    /// page is shown again (docs/decisions/0104).
    ///
    /// - Throws: ``ForgedForm`` if it did not come from one of our pages.
    func counts(_ purpose: StaticString, _ form: FormParameters, _ context: RealmContext)
        async throws -> Bool
    {
        do {
            try await checkOrigin(purpose, form, context)
            return true
        } catch let forged as ForgedForm {
            guard FetchSite.saysOurs(context.headers) else { throw forged }
            return false
        }
    }

    /// The same.
    ///
    /// - Throws: ``ForgedForm`` also if it does it to something else.
    func counts(
        _ purpose: StaticString,
        _ form: FormParameters,
        transaction: String,
        _ context: RealmContext
    ) async throws -> Bool {
        guard try await counts(purpose, form, context) else { return false }
        guard forms.isAbout(transaction, form) else { throw ForgedForm() }
        return true
    }

    /// Whether a form, whose origin was checked, is bound to what the form cookie is now: not to what it
    /// was before the browser's last sign-in (``FormerBrowser``).
    func isCurrent(_ purpose: StaticString, _ form: FormParameters, _ context: RealmContext)
        -> Bool
    {
        let cookies = [formCookie(context).value(context.headers)].compactMap(\.self)
        do {
            try forms.checkOrigin(form, purpose, cookies: cookies, context)
            return true
        } catch {
            return false
        }
    }

    /// Whether the browser that sends a form is known to keep cookies.
    func keepsCookies(_ context: RealmContext) -> Bool {
        let (headers, cookies) = (context.headers, cookies(of: context))
        return formCookie(context).value(headers) != nil
            || FetchSite.saysOurs(headers)
                && (cookies.isKnown(headers) || cookies.reset(headers) != nil)
    }
}

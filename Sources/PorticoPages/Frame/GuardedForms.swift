package import HTTPTypes
package import PorticoProtocol
package import PorticoWeb

/// The one way to show a form and to take it back: bound to what it does, to what it does it to, and to
/// the browser that it was shown in (OWASP ASVS 3.5, RFC 6749 §10.12).
package struct GuardedForms: Sendable {
    private let tokens: FormToken

    package init(_ tokens: FormToken) {
        self.tokens = tokens
    }

    /// - Parameters:
    ///   - action: Where it goes: a path of ours.
    ///   - purpose: What it does, a literal.
    ///   - transaction: What it does it to: an authorization request's id, a session's, an attempt's.
    ///   - request: A sealed request that it brings back.
    ///   - fields: What else it brings back unseen.
    package func form(
        _ action: String,
        _ purpose: StaticString,
        _ transaction: String,
        in browser: FormBrowser,
        request: String? = nil,
        fields: [PageField] = []
    ) -> PageForm {
        PageForm(
            action: action,
            request: request,
            csrf: tokens.token(form: purpose, transaction: transaction, cookie: browser.value),
            fields: fields
        )
    }

    /// - Parameter cookie: What the browser brings of ``FormCookie``.
    /// - Throws: ``ForgedForm`` where the form did not come from a page of ours in this browser.
    package func check(
        _ form: FormParameters,
        _ purpose: StaticString,
        _ transaction: String,
        cookie: String?,
        _ context: some ServiceContext
    ) throws(ForgedForm) {
        guard FetchSite.permitsPost(context.headers),
            tokens.isValid(
                form["csrf"],
                form: purpose,
                transaction: transaction,
                cookie: cookie
            )
        else { throw ForgedForm() }
    }
}

/// A form post that no page of ours in this browser sent.
package struct ForgedForm: Refusal {
    package init() {}

    package var name: String { "forged_form" }
    package var status: HTTPResponse.Status { .forbidden }
    package var issue: ErrorPage.Issue { .notAllowed }
}

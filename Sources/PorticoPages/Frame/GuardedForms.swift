package import HTTPTypes
package import PorticoBytes
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
        let mark = Self.mark(transaction)
        return PageForm(
            action: action,
            request: request,
            csrf: token(purpose, transaction, in: browser),
            fields: [PageField(Self.about, mark)] + fields
        )
    }

    /// - Parameter cookies: What forms of this browser may be bound to: mostly the value of its
    ///   ``FormCookie`` alone.
    /// - Throws: ``ForgedForm`` where the form did not come from a page of ours in this browser.
    package func checkOrigin(
        _ form: FormParameters,
        _ purpose: StaticString,
        cookies: [String],
        _ context: some ServiceContext
    ) throws(ForgedForm) {
        guard FetchSite.permitsPost(context.headers), let mark = form[Self.about],
            cookies.contains(where: {
                tokens.isValid(form["csrf"], form: purpose, transaction: mark, cookie: $0)
            })
        else { throw ForgedForm() }
    }

    /// Whether a form, whose origin was checked, does what it does to this: otherwise its page is from
    /// before something changed, such as who is signed in.
    package func isAbout(_ transaction: String, _ form: FormParameters) -> Bool {
        form[Self.about].map { sameBytes($0, Self.mark(transaction)) } ?? false
    }

    /// The token of such a form by itself, for a link.
    package func token(
        _ purpose: StaticString,
        _ transaction: String,
        in browser: FormBrowser
    ) -> String {
        tokens.token(form: purpose, transaction: Self.mark(transaction), cookie: browser.value)
    }

    /// Whether a link comes from the page that has shown it in this browser.
    package func isToken(
        _ token: String?,
        _ purpose: StaticString,
        _ transaction: String,
        cookie: String?,
        _ context: some ServiceContext
    ) -> Bool {
        FetchSite.permitsPost(context.headers)
            && tokens.isValid(
                token,
                form: purpose,
                transaction: Self.mark(transaction),
                cookie: cookie
            )
    }

    /// What a form does it to, without saying what that is.
    private static func mark(_ transaction: String) -> String {
        Base64URL.encode(Hash256(of: transaction).bytes.prefix(16))
    }

    private static let about = "about"
}

/// A form post that no page of ours in this browser sent.
package struct ForgedForm: Refusal {
    package init() {}

    package var name: String { "forged_form" }
    package var status: HTTPResponse.Status { .forbidden }
    package var issue: ErrorPage.Issue { .notAllowed }
}

/// A form of a page of ours in this browser that is about something else by now: another person has
/// signed in, or the page's session is over. Nothing is done, and the page is opened as it is now.
package struct OutdatedForm: Refusal {
    private let again: PageLink?

    /// - Parameter again: Opens the page.
    package init(again: PageLink?) {
        self.again = again
    }

    package var name: String { "outdated_form" }
    package var status: HTTPResponse.Status { .forbidden }

    package func page(at moment: Moment) -> any Page {
        ExpiredPage(reason: .outdated, restart: again)
    }
}

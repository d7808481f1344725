package import PorticoBytes

/// Asks for an internet handle (AT Protocol): one field, which takes a DID or the address of a host
/// too.
///
/// The form is sent by GET to `/login`, with `handle`, `ask=host` and `fields`. Nothing is changed by
/// that, so it carries no token.
package struct HandlePage: Page {
    /// What was typed or is known; may be empty.
    package let handle: String
    /// What the person may have meant, the likeliest first: a button each, never sent by itself.
    package let proposals: [String]
    package let problem: HandleProblem?
    /// What the request carries on: `mobile`, `app`, `redirect_uri`, `state`, …
    package let fields: [PageField]
    /// The asking app's name; `nil` for the service itself.
    package let app: String?
    package let otherMethods: PageLink?
    private let example: String

    /// - Parameter domain: Of the handle that is shown as an example.
    package init(
        handle: String = "",
        proposals: [String] = [],
        problem: HandleProblem? = nil,
        fields: [PageField] = [],
        app: String? = nil,
        otherMethods: PageLink? = nil,
        domain: String = "bsky.social"
    ) {
        self.handle = handle
        self.proposals = proposals
        self.problem = problem
        self.fields = fields
        self.app = app
        self.otherMethods = otherMethods
        example = "ann.\(domain)"
    }

    static let field = "handle"
    private static let exampleHost = "https://bsky.social"

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        guard problem == nil, let first = proposals.first else { return words.handle.heading }
        return words.handle.didYouMean(first)
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        problem?.told(words, example: example)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            proposals.isEmpty ? .line(words.handle.intro(app ?? frame.owner)) : nil,
            proposals.isEmpty
                ? nil
                : form(
                    .buttons(
                        proposals.map {
                            ActionButton($0, words.handle.use($0), .first, name: Self.field)
                        }
                    )
                ),
            form(
                .field(
                    FieldBlock(
                        Self.field,
                        .handle,
                        label: words.handle.label,
                        value: handle,
                        hint: words.handle.hint(example),
                        problem: problems(words)?.items.first { $0.field != nil }?.text,
                        startsHere: problem == nil && proposals.isEmpty
                    )
                ),
                .note(words.handle.orHost(Self.exampleHost)),
                .element(
                    .div,
                    [.class: "actions"],
                    .element(
                        .button,
                        [.class: proposals.isEmpty ? "button" : "button second", .type: "submit"],
                        words.common.proceed.html
                    )
                )
            ),
            .links([PageStep(otherMethods, words.trouble.otherMethods)]),
        ])
    }

    private func form(_ content: HTML...) -> HTML {
        .element(
            .form,
            to: PageLink(path: "/login"),
            [.method: "get"],
            .hidden(fields + [PageField("ask", "host")]),
            HTML(content)
        )
    }
}

/// Why a sign-in by internet handle did not begin or end: each has its own words and what to do.
package enum HandleProblem: Sendable, Equatable {
    /// What was typed is no handle, DID or address of a host.
    case unreadable
    /// Nothing says whose it is; of a DID: no directory knows it.
    case notFound(handle: String)
    /// Neither it nor, where it is the host of a handle, the DNS gave an answer.
    case hostUnreachable(host: String)
    /// It answers, and has no authorization server that we can use.
    case hostWithoutSignIn(host: String)
    /// The handle names an account that has another handle.
    case oneWay
    /// Another person signed in than the one whose handle was typed.
    case otherAccount(handle: String)
    /// The host ended it, and does not say that the person wanted that: its page was reloaded, for
    /// instance.
    case notFinished
    /// The person refused at the host.
    case denied
    /// More than 10 minutes passed.
    case expired
    /// What was typed stays: the person tries again later.
    case tooManyTries(seconds: Int)
    case busy

    /// - Parameter example: Of a handle.
    func told(_ words: Words, example: String) -> ErrorSummary {
        switch self {
        case .denied: return ChooseMethodPage.Problem.cancelled(nil).told(words)
        case .expired: return ChooseMethodPage.Problem.tookTooLong.told(words)
        case .tooManyTries(let seconds):
            return summary(.tooManyTries(seconds: seconds), words)
        case .busy: return summary(.busy, words)
        case .unreadable, .notFound, .hostUnreachable, .hostWithoutSignIn, .oneWay, .otherAccount,
            .notFinished:
            let told = words.handle.problem(self)
            let values: [String: Template.Value] =
                switch self {
                case .notFound(let handle), .otherAccount(let handle): ["handle": .exact(handle)]
                case .hostUnreachable(let host), .hostWithoutSignIn(let host):
                    ["host": .exact(host)]
                default: ["example": .exact(example)]
                }
            return summary(told.title(values), told.sentence(values))
        }
    }

    private func summary(_ issue: ErrorPage.Issue, _ words: Words) -> ErrorSummary {
        let told = issue.told(words)
        return summary(told.heading, "\(told.sentence) \(told.next)")
    }

    private func summary(_ title: Phrase, _ sentence: Phrase) -> ErrorSummary {
        ErrorSummary(
            summaryTitle: title,
            items: [.init(text: sentence, field: isAboutField ? HandlePage.field : nil)]
        )
    }

    /// Whether something else has to be typed.
    private var isAboutField: Bool {
        switch self {
        case .unreadable, .notFound, .oneWay: true
        case .hostUnreachable, .hostWithoutSignIn, .otherAccount, .notFinished, .denied, .expired,
            .tooManyTries, .busy:
            false
        }
    }
}

/// A person named a host and signed in, with an account that another host has the say about: they
/// may sign in at that one.
///
/// The form posts `request`, `csrf` and `action`, which is `continue` or `cancel`. It leads to the
/// other host, which the policy of the page's `form-action` has to allow.
package struct HandleAgainPage: Page {
    /// The authorization server of the account.
    package let host: String
    /// The one where the person has signed in.
    package let first: String
    /// The handle, or the DID where it has none that is confirmed.
    package let account: String
    package let form: PageForm

    package init(host: String, first: String, account: String, form: PageForm) {
        self.host = host
        self.first = first
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.handle.again(host)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(
                words.handle.againWhy([
                    "first": .exact(first), "account": .exact(account), "host": .exact(host),
                ])
            ),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("continue", words.handle.continueAt(host), .first),
                        ActionButton("cancel", words.common.cancel, .plain),
                    ])
                ]
            ),
        ])
    }
}

/// Where a person is about to sign in: the name of the host, before they leave.
///
/// What leads there is a link, because a page's policy would have to name all that a form may lead
/// to: the host, and the app that it may lead back to at once (CSP Level 3, `form-action`).
package struct HandleHostPage: Page {
    /// The authorization server's.
    package let host: String
    /// The handle, or the DID where it has none that is confirmed; `nil` where the host was named.
    package let account: String?
    /// The same request without `ask`.
    package let proceed: PageLink?
    package let otherHandle: PageLink?

    package init(host: String, account: String?, proceed: PageLink?, otherHandle: PageLink? = nil) {
        self.host = host
        self.account = account
        self.proceed = proceed
        self.otherHandle = otherHandle
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.handle.continueAt(host)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            account.map { .facts([.init(words.consent.account, "\(exact: $0)")]) },
            .line(words.handle.hostPage(host)),
            .steps([
                PageStep(proceed, words.common.proceed),
                PageStep(otherHandle, words.handle.useAnother),
            ]),
        ])
    }
}

/// The end of a sign-in in a window that a web app opened: a script tells the app, and closes the
/// window.
///
/// The app reads the result from `localStorage`, or from the message. Both reach pages of this
/// origin only, and neither is a secret: the session is in the cookie.
package struct HandlePopupPage: Page {
    package let did: String
    /// The confirmed handle, or `handle.invalid`.
    package let handle: String
    /// What admits the script in the page's policy, once.
    package let nonce: String
    /// Where a person goes on without scripts.
    package let proceed: PageLink?

    package init(did: String, handle: String, nonce: String, proceed: PageLink?) {
        self.did = did
        self.handle = handle
        self.nonce = nonce
        self.proceed = proceed
    }

    /// The values are read from the page, so that nothing foreign is ever part of a script.
    private static let telling = InlineSource(
        unescaped: """
            (function () {
              function value(name) { return document.getElementsByName(name)[0].value; }
              var result = {
                type: "oauth-callback", success: true, did: value("did"), handle: value("handle"),
                timestamp: Number(new Date)
              };
              try {
                localStorage.setItem("pwa-oauth-result", JSON.stringify(result));
              } catch (blocked) {}
              if (opener) opener.postMessage(result, location.origin);
              close();
            })();
            """
    )

    /// It has one that is admitted by its nonce.
    package var script: InlineSource? { nil }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.dashboard }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.handle.closeWindow),
            .step(PageStep(proceed, words.common.proceed)),
            .hidden("did", did),
            .hidden("handle", handle),
            .script(Self.telling, nonce: nonce),
        ])
    }
}

import HTTPTypes
package import PorticoBytes
package import PorticoSystem
package import PorticoWeb

/// An error that ends the request: one sentence, a next step, and technical details for support,
/// closed.
package struct ErrorPage: Page {
    /// For the developer and for support; never what a person must read. Shown as it is, escaped.
    package struct Details: Sendable {
        /// The error code, such as `invalid_scope`.
        package let code: String
        /// One English sentence naming the rule that was broken.
        package let description: String?
        package let clientID: String?
        package let time: Date?

        package init(
            code: String,
            description: String? = nil,
            clientID: String? = nil,
            time: Date?
        ) {
            self.code = code
            self.description = description
            self.clientID = clientID
            self.time = time
        }
    }

    package let issue: Issue
    /// The asking client's name, where known.
    package let client: String?
    /// The way back to the client, where its redirect URI was found valid.
    package let back: PageLink?
    package let details: Details?

    package init(
        issue: Issue,
        client: String? = nil,
        back: PageLink? = nil,
        details: Details? = nil
    ) {
        self.issue = issue
        self.client = client
        self.back = back
        self.details = details
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        issue.told(words).heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let told = issue.told(words)
        return HTML([
            .line(told.sentence), .line(told.next),
            .step(words.common.step(to: back, of: client)),
            details?.html(words.details, frame),
        ])
    }
}

extension ErrorPage.Details {
    func html(_ words: DetailsWords, _ frame: PageFrame) -> HTML {
        let rows: [(label: Phrase, value: String?)] = [
            (words.code, code),
            (words.reason, description),
            (words.client, clientID),
            (words.time, time?.formatted(.iso8601)),
            (words.reference, frame.reference),
        ]
        return .details(
            words.title,
            rows.compactMap { row in
                row.value.map { (row.label, ShownText($0, limit: 500)) }
            }
        )
    }
}

extension ErrorPage {
    /// What went wrong, as far as it makes a difference to the person.
    package enum Issue: Sendable, Equatable {
        case requestNotUnderstood
        case unknownClient
        /// The redirect URI is not one of the client's, so that nothing is ever sent there.
        case unknownRedirect
        case accountBlocked
        case notAllowed
        case providerMisconfigured(name: String)
        case busy
        /// Nothing can be written at the moment.
        case cannotSave
        case serverError
        case tooLarge
        case tooManyTries(seconds: Int)
        /// People cannot create an account themselves.
        case registrationClosed
        case notFound
        case methodNotAllowed

        func told(_ words: Words) -> (heading: Phrase, sentence: Phrase, next: Phrase) {
            let told = words.error(self)
            let values: [String: Template.Value] =
                switch self {
                case .providerMisconfigured(let provider): ["provider": .name(provider)]
                case .tooManyTries(let seconds):
                    ["time": .words(words.time.wait(seconds: seconds))]
                default: [:]
                }
            return (told.heading(values), told.sentence, told.next(values))
        }

        /// - Parameter code: An `error` of RFC 6749 §4.1.2.1 that is told on a page, because there is no
        ///   client to tell. One that is not known here is our own mistake, and told as that.
        package init(oauthError code: String) {
            self =
                switch code {
                case "invalid_request", "invalid_scope", "unsupported_response_type",
                    "invalid_request_object", "invalid_request_uri", "request_not_supported",
                    "request_uri_not_supported", "registration_not_supported", "invalid_target",
                    "invalid_authorization_details", "invalid_dpop_proof":
                    .requestNotUnderstood
                case "invalid_client", "unauthorized_client": .unknownClient
                case "temporarily_unavailable": .busy
                default: .serverError
                }
        }
    }
}

/// The browser did not send the cookie that a sign-in needs.
package struct CookiesBlockedPage: Page {
    /// Starts the same request again.
    package let restart: PageLink?

    package init(restart: PageLink?) {
        self.restart = restart
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.cookies.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.cookies.why), .line(words.cookies.advice),
            .step(PageStep(restart, words.common.tryAgain)),
        ])
    }
}

/// A form that can no longer be sent, and a link to start the same request again (WCAG 2.2.1).
package struct ExpiredPage: Page {
    package enum Reason: Sendable {
        /// The form was open for longer than this.
        case tookTooLong(minutes: Int)
        /// Another browser started it, or this one did not keep our cookie.
        case unmatched
        /// It was sent before, and has brought the person to the app.
        case answered
        /// Something it is about has changed: who is signed in, for one.
        case outdated
    }

    package let reason: Reason
    /// Starts the same request again, where it can be read.
    package let restart: PageLink?

    package init(reason: Reason, restart: PageLink? = nil) {
        self.reason = reason
        self.restart = restart
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch reason {
        case .tookTooLong: words.expired.tookTooLong
        case .unmatched: words.expired.unmatched
        case .answered: words.expired.answered
        case .outdated: words.expired.outdated
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let line: Phrase =
            switch reason {
            case .tookTooLong(let minutes): words.expired.closed(words.time.minutes(minutes))
            case .unmatched: words.expired.otherBrowser
            case .answered: words.expired.worksOnce
            case .outdated: words.expired.changedMeanwhile
            }
        return HTML([
            .line(line),
            restart == nil
                ? .line(words.expired.returnToApp)
                : .step(PageStep(restart, words.common.startAgain)),
        ])
    }
}

/// Who runs this, whom to ask, what is kept, and what to try.
package struct HelpPage: Page {
    package enum Contact: Sendable {
        case email(String)
        case page(PageLink, host: String)
    }

    package let operatedBy: String?
    package let contact: Contact?
    package let privacy: PageLink?
    package let terms: PageLink?

    package init(
        operatedBy: String? = nil,
        contact: Contact? = nil,
        privacy: PageLink? = nil,
        terms: PageLink? = nil
    ) {
        self.operatedBy = operatedBy
        self.contact = contact
        self.privacy = privacy
        self.terms = terms
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.trouble.help }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let trouble = words.trouble
        var email: Phrase?
        var page: PageStep?
        switch contact {
        case .email(let address): email = "\(exact: address)"
        case .page(let link, let host): page = PageStep(link, "\(exact: host)")
        case nil: break
        }
        let facts: [HTML.Fact] = [
            operatedBy.map { .init(trouble.operatedBy, "\(name: $0)") },
            email.map { .init(trouble.contact, $0) },
        ].compactMap(\.self)
        return HTML([
            .line(trouble.helpIntro(frame.owner)),
            facts.isEmpty ? nil : .facts(facts),
            page.map { .section("contact", trouble.contact, [.links([$0])]) },
            .section("trying", trouble.signingInTitle, [.points(trouble.signingIn())]),
            .section("kept", trouble.keptTitle, [.points(trouble.kept()), .note(trouble.keptNot)]),
            .links([PageStep(privacy, trouble.privacy), PageStep(terms, words.welcome.terms)]),
        ])
    }
}

/// An identity provider does not answer: since when, and what else to do.
package struct NotAnsweringPage: Page {
    package let provider: MethodLabel
    /// Seconds since 1970.
    package let since: Int64?
    package let now: Int64
    package let tryAgain: PageLink?
    package let otherMethods: PageLink?

    package init(
        provider: MethodLabel,
        since: Int64? = nil,
        now: Int64,
        tryAgain: PageLink?,
        otherMethods: PageLink?
    ) {
        self.provider = provider
        self.since = since
        self.now = now
        self.tryAgain = tryAgain
        self.otherMethods = otherMethods
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.trouble.notAnswering(provider.displayName)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.trouble.notAnsweringWhy),
            since.map { .line(words.trouble.since(words.time.ago($0, at: now))) },
            .steps([
                PageStep(tryAgain, words.common.tryAgain),
                PageStep(otherMethods, words.trouble.otherMethods),
            ]),
        ])
    }
}

/// The page was opened inside another app, where the provider does not allow signing in.
package struct OpenInBrowserPage: Page {
    package enum Platform: Sendable, CaseIterable {
        case ios, android, other
    }

    package let provider: MethodLabel
    /// To be copied into a browser: starts the same request.
    package let address: String
    package let platform: Platform
    package let otherMethods: PageLink?

    package init(
        provider: MethodLabel,
        address: String,
        platform: Platform,
        otherMethods: PageLink? = nil
    ) {
        self.provider = provider
        self.address = address
        self.platform = platform
        self.otherMethods = otherMethods
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.trouble.openInBrowser
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.trouble.embedded(provider.displayName)),
            .line(words.trouble.copy),
            .field(FieldBlock("address", .shown, label: words.trouble.address, value: address)),
            .note(words.trouble.hint(platform)),
            .steps([PageStep(otherMethods, words.trouble.otherMethods)]),
        ])
    }
}

/// What is answered at an address that no service has. At the root, which people open to see what is
/// there, it says what this is.
package struct UnknownAddress: Sendable {
    private let page: PageResponder

    package init(_ page: PageResponder) {
        self.page = page
    }

    package func respond(to request: RequestContext) -> Response {
        let context = PlainContext(request)
        if request.target.path == "/", [.get, .head].contains(request.method) {
            return page(StartPage(), context)
        }
        let audience: Audience = AcceptedMedia.isJSON(request.headers) ? .programs : .people
        return page.refuse(NotFound(), audience, context)
    }
}

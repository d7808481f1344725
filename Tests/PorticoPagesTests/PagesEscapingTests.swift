import Foundation
import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Pages, with hostile text") struct PagesEscapingTests {
    static let hostile = [
        "\"><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "{{csrf}}{{{csrf}}}{{#form}}{{/form}}{{>layout}}",
        "'\"&amp;<b>&#60;",
        "</title></style></script><h1>",
        "javascript:alert(1)",
        // A combining mark makes one character of both, but a browser still reads the quotation mark.
        "\"\u{301} autofocus onfocus=alert(1) x=\"\u{301}",
        "\"\u{200D}><\u{338}script>\u{20D2}",
        "&\u{301}lt;script&\u{FE0F}gt;",
        "\u{1B}[31mred\u{7}",
        "\u{202E}drowssap ruoy\u{2066}\u{2069}\u{200F}",
        "a\r\nSet-Cookie: x=1\r\n\r\n<html>",
        "\u{0}\u{FFFE}\u{FEFF}",
        "--><!--]]><![CDATA[",
    ]

    /// Every page with `text` wherever something from outside can stand.
    static func pages(with text: String) -> [any Page] {
        let form = PageForm(action: text, request: text, csrf: text)
        let account = PageAccount(name: text, userName: text)
        let details = ErrorPage.Details(
            code: text,
            clientID: text,
            time: Date(timeIntervalSince1970: 0)
        )
        var pages: [any Page] = [
            SignInPage(client: text, form: form, userName: text),
            SignInPage(client: text, form: form, userName: text, again: true, problem: .wrongPair),
            ConsentPage(
                client: text,
                origin: .site(host: text),
                account: account,
                scopes: [text, text],
                form: form
            ),
            ConsentPage(
                client: text,
                origin: .appOnThisDevice,
                account: .init(name: nil, userName: text),
                scopes: [],
                form: form
            ),
            AccountPage(client: text, account: account, reason: .choose, form: form),
            AccountPage(client: text, account: account, reason: .otherPersonExpected, form: form),
            SignOutPage(client: text, account: account, form: form),
            SignedOutPage(outcome: .signedOut, client: text, back: PageLink(path: "/")),
            ExpiredPage(reason: .unmatched),
            ErrorPage(
                issue: .providerMisconfigured(name: text),
                client: text,
                back: PageLink(path: "/"),
                details: details
            ),
            ErrorPage(issue: .providerMisconfigured(name: text)),
        ]
        pages += backendPages(with: text, form, account)
        pages += accountPages(with: text, form, account)
        pages += handlePages(with: text, form, account)
        if let action = PageLink(redirect: "https://app.example/cb") {
            pages.append(
                FormPostPage(client: text, action: action, parameters: [.init(text, text)])
            )
        }
        return pages
    }

    private static func backendPages(
        with text: String,
        _ form: PageForm,
        _ account: PageAccount
    ) -> [any Page] {
        let label = MethodLabel(kind: .generic, displayName: text)
        let way = SignInMethod(name: text, label: label, action: text, isLastUsed: true)
        var pages: [any Page] = [
            ChooseMethodPage(
                mode: .signIn,
                app: text,
                methods: [way, way],
                fields: [PageField(text, text)],
                problem: .failed(label)
            ),
            ChooseMethodPage(
                mode: .signUp,
                app: text,
                methods: [way],
                problem: .linkRequired(label)
            ),
            EmailCodePage(address: text, form: form, problem: .used),
            WelcomePage(name: text, email: .unverified(text), provider: label, form: form),
            WelcomePage(name: text, email: .relay(text), provider: label, form: form),
            RelayPage(provider: label, form: form),
            FoundAccountPage(
                newMethod: label,
                knownMethods: [way],
                mailbox: text,
                canSeparate: true,
                form: form,
                notice: .stopped(label)
            ),
            FoundAccountPage(
                newMethod: label,
                knownMethods: [way],
                form: form,
                notice: .notReauthenticated(label)
            ),
            AddMethodPage(newMethod: label, identity: text, account: account, form: form),
            IdentityTakenPage(method: label, form: form),
            IdentityTakenPage(method: label, reason: .secondOfProvider, form: form),
            ConfirmItsYouPage(
                reason: .adding,
                account: account,
                methods: [way],
                mailbox: text,
                form: form,
                problem: .notReauthenticated(label)
            ),
            ReturnToAppPage(state: .ready, app: text, person: text, link: PageLink(path: "/")),
            BackendSignOutPage(account: account, form: form),
            BackendSignedOutPage(outcome: .here, stillAt: [label, label]),
            NotAnsweringPage(provider: label, now: 0, tryAgain: nil, otherMethods: nil),
            OpenInBrowserPage(provider: label, address: text, platform: .ios),
            HelpPage(operatedBy: text, contact: .email(text)),
            ForgotPasswordPage(state: .asking, email: text, form: form),
            ForgotPasswordPage(state: .sent(to: text), form: form),
            NewPasswordPage(userName: text, leastCharacters: 12, form: form),
            CodeForOtherBrowserPage(state: .code(text, minutes: 10)),
            ConfirmEmailPage(address: text, form: form),
            OutboxPage(
                mails: [
                    OutboxPage.Mail(to: text, subject: text, lines: ["x" + text], status: .waiting)
                ],
                now: 0
            ),
        ]
        if let link = PageLink(path: "/") {
            pages.append(AlreadySignedInPage(account: account, proceed: link, form: form))
            let store = ReturnToAppPage.Store(name: text, link: link)
            pages.append(ReturnToAppPage(state: .appNotOpened, app: text, stores: [store]))
            pages.append(HelpPage(contact: .page(link, host: text)))
        }
        return pages
    }

    private static func handlePages(
        with text: String,
        _ form: PageForm,
        _ account: PageAccount
    ) -> [any Page] {
        let problems: [HandleProblem] = [
            .notFound(handle: text), .otherAccount(handle: text), .hostUnreachable(host: text),
            .hostWithoutSignIn(host: text),
        ]
        return problems.map { problem in
            HandlePage(
                handle: text,
                proposals: [text, text],
                problem: problem,
                fields: [PageField(text, text)],
                app: text
            )
        } + [
            HandlePage(handle: text, proposals: [text]),
            HandleHostPage(host: text, account: text, proceed: PageLink(path: "/")),
            HandleAgainPage(host: text, first: text, account: text, form: form),
            HandlePopupPage(did: text, handle: text, nonce: text, proceed: PageLink(path: "/")),
            AccountWithoutDIDPage(client: text, account: account, form: form),
            ConsentPage(
                client: text,
                origin: .document(clientID: text),
                account: account,
                scopes: ["atproto", text],
                unknown: [text, text],
                form: form
            ),
        ]
    }

    private static func accountPages(
        with text: String,
        _ form: PageForm,
        _ account: PageAccount
    ) -> [any Page] {
        let label = MethodLabel(kind: .generic, displayName: text)
        let way = SignInMethod(name: text, label: label, isNotResponding: true)
        let linked = SignInMethodsPage.Linked(id: text, label: label, email: text, addedAt: 0)
        let device = AccountDevicesPage.Device(
            id: text,
            name: text,
            app: text,
            address: text,
            lastSeen: 0
        )
        let app = ConnectedAppsPage.App(id: text, name: text, scopes: [text], allowedAt: 0)
        return [
            DashboardPage(account: account, signedInWith: label, form: form),
            AccountOverviewPage(
                account: account,
                methods: [label, label],
                devices: 1,
                now: 0,
                form: form
            ),
            AccountDetailsPage(name: .whole(text), email: .verified(text), form: form),
            AccountDetailsPage(
                name: .parts(given: text, family: text),
                email: .unverified(text),
                form: form,
                wasSaved: true
            ),
            SignInMethodsPage(
                linked: [linked, linked],
                others: [way],
                form: form,
                status: .added(label)
            ),
            SignInMethodsPage(linked: [linked], others: [way], form: form, lastOneRefused: true),
            SignInMethodsPage(
                linked: [linked],
                others: [],
                form: form,
                notAdded: .cancelled(label)
            ),
            AccountDevicesPage(
                account: account,
                devices: [device, device],
                now: 0,
                form: form,
                status: .ended
            ),
            ConnectedAppsPage(
                account: PageAccount(name: text, userName: text),
                apps: [app, app],
                now: 0,
                form: form,
                removed: text
            ),
            DeleteAccountPage(account: account, usesApple: true, form: form),
        ]
    }

    @Test(
        "WEB-XSS-1, attack B28: no text from outside changes what a page is made of",
        arguments: hostile
    )
    func shape(text: String) throws {
        for language in Language.allCases {
            let expected = try #require(Self.harmless[language])
            for (page, expected) in zip(try Self.shapes(with: text, language), expected) {
                #expect(page.shape == expected.shape, "\(page.type)")
            }
        }
    }

    /// What each page is made of, whatever stands in it.
    private static func shapes(with text: String, _ language: Language) throws
        -> [(type: String, shape: String)]
    {
        let renderer = try PageRenderer()
        let frame = PageFrame(realm: text, reference: text)
        return try pages(with: text).map { page in
            let html = renderer.html(page, in: language, frame: frame)
            return ("\(type(of: page))", try Markup(page: html).shape)
        }
    }

    private static let harmless = Dictionary(
        uniqueKeysWithValues: Language.allCases.compactMap { language in
            (try? shapes(with: "x", language)).map { (language, $0) }  // Required by the test.
        }
    )

    @Test(
        "what a form carries back is carried back byte for byte",
        arguments: hostile.filter { !$0.contains("\0") }
    )
    func carried(text: String) throws {
        let action = try #require(PageLink(redirect: "https://app.example/cb?a=1&b=2"))
        let page = FormPostPage(client: "x", action: action, parameters: [.init(text, text)])
        let html = try PageRenderer().html(page, in: .english, frame: PageFrame())
        let input = try #require(try Markup(page: html).all("input").first)
        #expect(Array(input.attributes["value"]?.utf8 ?? "".utf8) == Array(text.utf8))
        #expect(Array(input.attributes["name"]?.utf8 ?? "".utf8) == Array(text.utf8))
        #expect(try Markup(page: html).all("form").first?.attributes["action"] == action.href)
    }

    @Test(
        "text from outside is shown on one line, in order, within bounds",
        arguments: [
            ("\u{1B}[31mred", "\u{FFFD}[31mred"),
            ("ann\u{202E}nna", "annnna"),
            ("a\u{200B}\u{FEFF}\u{AD}\u{E0041}b", "ab"),
            ("a\r\n\t\u{2028} b", "a b"),
            ("\u{645}\u{6CC}\u{200C}\u{62E}", "\u{645}\u{6CC}\u{200C}\u{62E}"),
            ("👩\u{200D}🚀", "👩\u{200D}🚀"),
            ("z" + String(repeating: "\u{301}", count: 40), "z\u{301}\u{301}\u{301}\u{301}"),
            ("Zoë & Søn <x>", "Zoë & Søn <x>"),
            (String(repeating: "n", count: 500), String(repeating: "n", count: 120) + "…"),
            ("", ""),
        ]
    )
    func shown(text: String, expected: String) {
        #expect(Array(ShownText(text).text.utf8) == Array(expected.utf8))
    }

    @Test("a hundred thousand marks on a letter are read in no time and shown as four")
    func bounded() {
        let marks = ShownText("z" + String(repeating: "\u{301}", count: 100_000))
        #expect(marks.text.unicodeScalars.count == 5)
        #expect(ShownText(String(repeating: "é", count: 100_000)).text.count == 121)
    }

    @Test(
        "the mark beside a name is its first letter or digit",
        arguments: [("ann", "A"), ("  «école»", "É"), ("42", "4"), ("", "•"), ("\u{202E}<>", "•")]
    )
    func initial(name: String, expected: String) {
        #expect(ShownText(initialOf: name).text == expected)
    }
}

import Foundation
import PorticoPages
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
            time: Date(timeIntervalSince1970: 0),
            hint: text
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
            SignedOutPage(outcome: .signedOut, client: text, wayBack: PageLink(path: "/")),
            ExpiredPage(reason: .finished, client: text),
            ErrorPage(
                issue: .providerNotAnswering(name: text),
                client: text,
                wayBack: PageLink(path: "/"),
                details: details
            ),
            ErrorPage(issue: .providerMisconfigured(name: text)),
        ]
        if let action = PageLink(redirect: "https://app.example/cb") {
            pages.append(
                FormPostPage(client: text, action: action, parameters: [.init(text, text)])
            )
        }
        return pages
    }

    @Test(
        "WEB-XSS-1, attack B28: no text from outside changes what a page is made of",
        arguments: hostile
    )
    func shape(text: String) throws {
        let renderer = try PageRenderer()
        for (hostile, harmless) in zip(Self.pages(with: text), Self.pages(with: "x")) {
            for language in Language.allCases {
                let page = try Markup(
                    page: renderer.html(
                        hostile,
                        in: language,
                        frame: PageFrame(realm: text, reference: text)
                    )
                )
                let expected = try Markup(
                    page: renderer.html(
                        harmless,
                        in: language,
                        frame: PageFrame(realm: "x", reference: "x")
                    )
                )
                #expect(page.shape == expected.shape, "\(type(of: hostile))")
            }
        }
    }

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

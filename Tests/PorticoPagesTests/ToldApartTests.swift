import PorticoBytes
import PorticoPages
import PorticoTestSupport
import Testing

/// What is read out, and what stays together.
@Suite("Pages, told apart") struct ToldApartTests {
    private static func markup(_ page: some Page, in language: Language = .english) throws
        -> Markup
    {
        let html = try PageRenderer().html(page, in: language, frame: PageFrame(realm: "Demo"))
        return try Markup(page: html)
    }

    private static let form = PageForm(action: "/", request: nil, csrf: "c")

    private static func names(_ page: Markup) -> [String] {
        page.all("button").map { $0.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ") }
    }

    @Test("WCAG 2.4.9: no two buttons of a list have one name", arguments: Language.allCases)
    func devices(_ language: Language) throws {
        func device(_ id: String, _ name: String, _ seen: Int64, isThis: Bool = false)
            -> AccountDevicesPage.Device
        {
            .init(id: id, name: name, lastSeen: seen, isThis: isThis)
        }
        let page = try Self.markup(
            AccountDevicesPage(
                devices: [
                    device("1", "Firefox on Linux", 1_800_000_000, isThis: true),
                    device("2", "Firefox on Linux", 1_799_990_000),
                    device("3", "Chrome on Android", 1_799_990_000),
                    device("4", "Chrome on Android", 1_799_990_000), device("5", "", 1_799_990_000),
                ],
                now: 1_800_000_000,
                form: Self.form
            ),
            in: language
        )
        let names = Self.names(page)
        #expect(names.count == 5 && Set(names).count == 5, "\(names)")
        // What is seen is the same word on each.
        let seen = page.all("button").prefix(4).map { button in
            button.children.compactMap { child -> String? in
                if case .text(let text) = child { text } else { nil }
            }.joined()
        }
        #expect(Set(seen).count == 1)
        let factors = try Self.markup(
            SecondFactorsPage(
                account: PageAccount(name: nil, userName: "ann"),
                apps: [
                    .init(id: "1", addedAt: 1_800_000_000), .init(id: "2", addedAt: 1_800_000_000),
                ],
                form: Self.form
            ),
            in: language
        )
        #expect(Set(Self.names(factors)).count == Self.names(factors).count)
    }

    @Test("Buttons that differ anyway are left as they are")
    func apart() throws {
        let page = try Self.markup(
            SecondFactorsPage(
                account: PageAccount(name: nil, userName: "ann"),
                apps: [.init(id: "1", addedAt: 1_800_000_000)],
                codes: .init(id: "3", left: 12),
                form: Self.form
            )
        )
        #expect(page.all("button").flatMap(\.all).allSatisfy { $0.attributes["class"] != "unseen" })
    }

    @Test(
        "The sign-in page names the account only where the heading has another name",
        arguments: Language.allCases
    )
    func accountNamedOnce(_ language: Language) throws {
        for (client, isNamed) in [("Demo", false), ("Notes", true)] {
            let page = try Self.markup(SignInPage(client: client, form: Self.form), in: language)
            let intros = page.all("p").filter { $0.attributes["class"] == "lead" }
            #expect(intros.contains { $0.text.contains("Demo") } == isNamed, "\(client)")
        }
    }

    @Test("A mail of a demo is shown whole, and its link can be followed")
    func demoMail() throws {
        let words = Array(repeating: "choose a new password for your account", count: 10)
        let line = words.joined(separator: " ")
        let address = "/realms/demo/login-actions/new-password?key=abc"
        let mail = OutboxPage.Mail(
            to: "ann@example.com",
            subject: "Choose a new password",
            lines: [line, ""],
            link: PageLink(path: address),
            status: .waiting
        )
        let page = try Self.markup(OutboxPage(mails: [mail], now: 0))
        #expect(page.all("p").contains { $0.text.contains(line) })
        #expect(page.all("a").contains { $0.attributes["href"] == address })
    }

    @Test("A masked address stays on one line, from left to right", arguments: Language.allCases)
    func address(_ language: Language) throws {
        let host = "a-very-long-name-of-a-department.corp.example.com"
        for address in ["ann@example.com", "ann@\(host)"] {
            let masked = EmailCodePage.masked(address)
            #expect(masked.utf8.count <= 36 && masked.hasPrefix("a…@"))
            for page in [
                try Self.markup(ConfirmEmailPage(address: masked, form: Self.form), in: language),
                try Self.markup(EmailCodePage(address: masked, form: Self.form), in: language),
            ] {
                let shown = page.all("bdi").filter { $0.text == masked }
                #expect(shown.map(\.attributes) == [["dir": "ltr", "class": "whole"]])
            }
        }
        #expect(EmailCodePage.masked("ann@example.com") == "a…@example.com")
        // Broken only where it does not fit into a line.
        #expect(PageTheme.standard.style.text.contains(".whole { display: inline-block;"))
    }

    @Test(
        "WCAG 3.3.1: a wrong pair is told once, and both fields lead to it",
        arguments: Language.allCases
    )
    func once(_ language: Language) throws {
        let page = try Self.markup(
            SignInPage(client: "Notes", form: Self.form, userName: "ann", problem: .wrongPair),
            in: language
        )
        let words = try #require(page.element(id: "summary-problem")?.all("a").first).text
        #expect(page.all.first?.text.components(of: words) == 1)
        for id in ["username", "password"] {
            let field = try #require(page.element(id: id)).attributes
            #expect(field["aria-invalid"] == "true")
            #expect(field["aria-describedby"] == "summary-problem")
        }
        #expect(page.element(id: "username-problem") == nil)
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

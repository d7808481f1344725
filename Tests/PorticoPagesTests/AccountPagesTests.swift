import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Account pages") struct AccountPagesTests {
    private let form = PageForm(action: "/account/x", csrf: "token")

    private func markup(_ page: some Page) throws -> Markup {
        let frame = PageFrame(realm: "Demo")
        return try Markup(page: try PageRenderer().html(page, in: .english, frame: frame))
    }

    /// What each form of a page would post: its hidden fields, then its buttons.
    private func posts(_ page: Markup) -> [[String]] {
        page.all("form").map { form in
            (form.all("input").filter { $0.attributes["type"] == "hidden" } + form.all("button"))
                .map { "\($0.attributes["name"] ?? "")=\($0.attributes["value"] ?? "")" }
        }
    }

    private func linked(_ count: Int) -> [SignInMethodsPage.Linked] {
        (1...count).map {
            .init(
                id: "id-\($0)",
                label: MethodLabel(kind: .generic, displayName: "Way \($0)"),
                addedAt: 1_790_000_000
            )
        }
    }

    @Test("a way can be removed while there is another; of the only one it is said why not")
    func lastWay() throws {
        let two = try markup(SignInMethodsPage(linked: linked(2), others: [], form: form))
        #expect(
            posts(two) == [
                ["csrf=token", "id=id-1", "action=remove"],
                ["csrf=token", "id=id-2", "action=remove"],
            ]
        )
        let one = try markup(SignInMethodsPage(linked: linked(1), others: [], form: form))
        #expect(posts(one).isEmpty)
        #expect(one.text.contains("This is your only sign-in method, so it can’t be removed."))
        let refused = try markup(
            SignInMethodsPage(linked: linked(1), others: [], form: form, lastOneRefused: true)
        )
        let summary = try #require(refused.all.first { $0.attributes["role"] == "alert" })
        #expect(summary.text.contains("Add another one first."))
    }

    @Test("ways that can be added are buttons of a form that posts their names")
    func addWay() throws {
        let other = SignInMethod(
            name: "apple",
            label: MethodLabel(kind: .apple, displayName: "Apple")
        )
        let page = try markup(SignInMethodsPage(linked: linked(1), others: [other], form: form))
        #expect(posts(page) == [["csrf=token", "way=apple"]])
        #expect(page.all("button").allSatisfy { $0.attributes["formaction"] == nil })
    }

    @Test("this device comes first and is not among those to be ended")
    func devices() throws {
        let page = try markup(
            AccountDevicesPage(
                devices: [
                    .init(id: "b", name: "iPhone", app: "Notes", lastSeen: 1_000),
                    .init(
                        id: "a",
                        name: "Firefox",
                        address: "203.0.113.7",
                        lastSeen: 90,
                        isThis: true
                    ),
                ],
                now: 4_600,
                form: form
            )
        )
        #expect(
            posts(page) == [
                ["csrf=token", "id=b", "action=end"], ["csrf=token", "action=end-others"],
            ]
        )
        let rows = page.all("li").filter { $0.all("div").count == 1 }.map(\.text)
        #expect(rows.count == 2)
        #expect(
            rows.first?.contains("This device") == true && rows.first?.contains("Firefox") == true
        )
        #expect(rows.last?.contains("Last seen 1 hour ago") == true)
        // "Sign out there" says where by what it is described by.
        let about = try #require(page.all("button").first?.attributes["aria-describedby"])
        #expect(page.element(id: about)?.text.contains("iPhone") == true)
    }

    @Test("WEB-A11Y-18, WCAG 3.3.4: what was allowed is told in words, and can be taken back")
    func connectedApps() throws {
        let apps = [
            ConnectedAppsPage.App(
                id: "notes",
                name: "Notes",
                scopes: ["openid", "email"],
                allowedAt: 1_790_000_000,
                lastUsedAt: 1_795_291_200
            ),
            ConnectedAppsPage.App(id: "x", name: "Reader", scopes: ["openid"]),
        ]
        let account = PageAccount(name: nil, userName: "ann@example.com")
        let now: Int64 = 1_795_298_400
        let page = try markup(
            ConnectedAppsPage(account: account, apps: apps, now: now, form: form)
        )
        #expect(
            posts(page) == [
                ["csrf=token", "id=notes", "action=remove"],
                ["csrf=token", "id=x", "action=remove"],
            ]
        )
        #expect(page.all("button").map(\.text) == ["Remove Notes", "Remove Reader"])
        for words in [
            "See your email address", "Allowed 21 September 2026", "Last used 2 hours ago",
        ] {
            #expect(page.text.contains(words), "\(words)")
        }
        #expect(page.all("nav").isEmpty)
        let removed = try markup(
            ConnectedAppsPage(account: account, apps: [], now: now, form: form, removed: "Notes")
        )
        #expect(removed.all.contains { $0.attributes["role"] == "status" })
    }

    @Test("an account is deleted only by a form with a box that was ticked")
    func delete() throws {
        let account = PageAccount(name: "Ann", userName: "ann@example.com")
        let page = try markup(DeleteAccountPage(account: account, usesApple: true, form: form))
        let box = try #require(page.element(id: "sure")).attributes
        #expect(box["required"] != nil && box["checked"] == nil && box["name"] == "sure")
        #expect(posts(page) == [["csrf=token", "action=delete", "action=cancel"]])
        #expect(page.all("button").last?.attributes["formnovalidate"] != nil)
        #expect(page.text.contains("We’ll tell Apple"))
        let done = try markup(AccountDeletedPage(appleLeft: true))
        #expect(done.text.contains("Sign in with Apple"))
    }

    @Test("the pages of an account lead to each other, and say which one is open")
    func navigation() throws {
        let pages: [(any Page, String)] = [
            (SignInMethodsPage(linked: linked(1), others: [], form: form), "/account/ways"),
            (AccountDevicesPage(devices: [], now: 0, form: form), "/account/devices"),
            (
                AccountDetailsPage(name: "", email: .missing, form: form),
                "/account/details"
            ),
        ]
        for (page, path) in pages {
            let links = try #require(try markup(page).all("nav").first).all("a")
            #expect(
                links.map { $0.attributes["href"] } == [
                    "/account", "/account/details", "/account/ways", "/account/devices",
                ]
            )
            let here = links.filter { $0.attributes["aria-current"] == "page" }
            #expect(here.map { $0.attributes["href"] } == [path])
        }
    }

    @Test(
        "an address is shown so that its owner knows it, and no one else learns it",
        arguments: [
            ("ann@example.com", "a…@example.com"), ("a@b", "a…@b"), ("é@x.example", "é…@x.example"),
            ("@example.com", "…"), ("", "…"), ("nobody", "…"), ("a@b@c.example", "a…@c.example"),
        ]
    )
    func masked(address: String, expected: String) {
        #expect(EmailCodePage.masked(address) == expected)
    }
}

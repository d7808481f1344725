import PorticoPages
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Pages: permissions of the AT Protocol") struct PermissionWordsTests {
    private func markup(
        _ scopes: [String],
        unknown: [String] = [],
        _ language: Language = .english
    ) throws -> Markup {
        let page = ConsentPage(
            client: "reader.example.com",
            origin: .document(clientID: "https://reader.example.com/client.json"),
            account: PageAccount(name: nil, userName: "ann"),
            scopes: scopes,
            unknown: unknown,
            form: PageForm(action: "/", request: "r", csrf: "c")
        )
        return try Markup(page: PageRenderer().html(page, in: language, frame: PageFrame()))
    }

    private func lists(_ page: Markup) -> [[String]] {
        page.all("ul").filter { $0.attributes["class"] == "grants" }
            .map { $0.all("li").map(\.text) }
    }

    @Test(
        "ATP-UI-1, ATP-SC-3: each permission is said in plain words",
        arguments: [
            ("atproto", "See who you are, and your handle"),
            (
                "transition:generic",
                "Full access to your account: read, add, change and delete"
            ),
            ("transition:email", "See your email address"),
            ("transition:chat.bsky", "Read and send your direct messages"),
            (
                "repo:app.bsky.feed.post",
                "Use your records of the kind app.bsky.feed.post: add, change, delete"
            ),
            (
                "repo?collection=com.example.a&collection=com.example.b&action=delete&action=create",
                "Use your records of the kind com.example.a, com.example.b: add, delete"
            ),
            ("repo:*?action=update", "Use all your records: change"),
            (
                "rpc:com.example.search?aud=did:web:a.example.com%23search",
                "Use com.example.search at the service did:web:a.example.com#search as you"
            ),
            (
                "rpc:*?aud=did:web:a.example.com%23search",
                "Use everything that the service did:web:a.example.com#search offers, as you"
            ),
            ("rpc:com.example.search?aud=*", "Use com.example.search at any service as you"),
            ("blob:image/*", "Upload files of the kind image/*"),
            ("blob?accept=image/png&accept=*/*", "Upload files of any kind"),
            ("account:email", "See your email address"),
            ("account:email?action=manage", "See and change your email address"),
            ("account:repo", "See a copy of everything that your account holds"),
            ("account:repo?action=manage", "Replace everything that your account holds"),
            ("account:status", "See whether your account is active"),
            ("account:status?action=manage", "Deactivate and reactivate your account"),
            ("identity:handle", "Change your handle"),
            ("identity:*", "Change your handle and where your account is"),
        ]
    )
    func words(scope: String, expected: String) throws {
        #expect(ATScope(scope) != nil, "it is one")
        #expect(lists(try markup(["atproto", scope])).first?.last == expected)
        for language in [Language.german, .arabic] {
            let said = try #require(lists(try markup(["atproto", scope], language)).first?.last)
            #expect(said != expected && !said.isEmpty)
        }
    }

    @Test("ATP-SC-3: what is asked for and not given is said, by its exact name")
    func unknown() throws {
        let names = ["foo:bar", "space:com.example.room", "\u{202E}<b>"]
        let page = try markup(["atproto"], unknown: names)
        #expect(lists(page).count == 2)
        #expect(lists(page).last == ["foo:bar", "space:com.example.room", "<b>"])
        let title = page.element(id: "unknown-title")?.text
        #expect(
            title == "We don’t know these permissions, so reader.example.com doesn’t get them"
        )
        #expect(try markup(["atproto"]).element(id: "unknown-title") == nil)
    }

    @Test("beside no atproto the same names are those of the realm's own scopes")
    func ordinary() throws {
        #expect(
            lists(try markup(["openid", "account:email", "transition:generic"])) == [
                [
                    "See who you are when you sign in", "Use the permission account:email",
                    "Use the permission transition:generic",
                ]
            ]
        )
        #expect(
            lists(try markup(["atproto", "nothing:known"])).first?.last?.hasPrefix("Use the")
                == true
        )
    }

    @Test("ATP-UI-1, CIMD-6.4-2: the client is called by its host, and its whole address is told")
    func client() throws {
        let page = try markup(["atproto"])
        #expect(page.all("h1").map(\.text) == ["Allow reader.example.com to use your account?"])
        #expect(page.text.contains("https://reader.example.com/client.json"))
        #expect(page.text.contains("Continue only if you trust it."))
    }

    @Test("ATP-UI-2: the list of connected apps has the same words")
    func connected() throws {
        let page = ConnectedAppsPage(
            account: PageAccount(name: nil, userName: "ann"),
            apps: [
                .init(
                    id: "1",
                    name: "reader.example.com",
                    scopes: ["atproto", "repo:*?action=create"]
                )
            ],
            now: 0,
            form: PageForm(action: "/", request: nil, csrf: "c")
        )
        let html = try PageRenderer().html(page, in: .english, frame: PageFrame())
        #expect(try Markup(page: html).text.contains("Use all your records: add"))
    }
}

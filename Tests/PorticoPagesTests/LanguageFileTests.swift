import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoPages

@Suite("Files of the languages") struct LanguageFileTests {
    @Test(
        "each has every text that pages use and no other, in every plural form, with its values",
        arguments: Language.allCases
    )
    func complete(language: Language) {
        #expect(Words.read(language.file, language).faults == [])
    }

    /// The values in each text, by key; a text with a number counts as one.
    private static func values(_ language: Language) throws -> [String: Set<String>] {
        let forms = Set(language.plurals.map { "\($0)" })
        var values: [String: Set<String>] = [:]
        for (key, text) in LanguageFile(language.file).texts {
            let template = try #require(Template(text), "\(key)")
            var parts = key.split(separator: ".")
            if let last = parts.last, parts.count > 2, forms.contains(String(last)),
                key != "linking.confirmReason.other", key != "trouble.hint.other",
                key != "consent.grant.other"
            {
                parts.removeLast()
            }
            values[parts.joined(separator: "."), default: []].formUnion(template.places)
        }
        return values
    }

    @Test(
        "each text has the same values in all languages",
        arguments: Language.allCases.filter { $0 != .english }
    )
    func sameValues(language: Language) throws {
        let (ours, english) = (try Self.values(language), try Self.values(.english))
        #expect(Set(ours.keys) == Set(english.keys))
        for (key, values) in ours { #expect(values == english[key], "\(key)") }
    }

    @Test("no page and no mail shows the name of a value in the place of the value")
    func filled() {
        for state in RenderedState.all {
            let page = state.html.replacing(/<style>[\s\S]*<\/style>/, with: "")
            #expect(!page.contains(/\{[A-Za-z]+\}/), "\(state.testDescription)")
        }
        for mail in MailTextTests.mails {
            for language in Language.allCases {
                let text = mail.text(in: language, service: "Demo")
                #expect(!([text.subject] + text.lines).joined().contains("{"))
            }
        }
    }

    @Test(
        "what is wrong with a file is told, and a page then shows the key",
        arguments: [
            ("common.cancel = Cancel\n", "", "Missing: common.cancel"),
            ("common.cancel = Cancel\n", "common.cancel = {x}\n", "common.cancel: {x}"),
            ("common.backTo = Back to {client}\n", "common.backTo = Back\n", "common.backTo: Back"),
            ("{count} devices", "devices", "time.devices.other: devices"),
            ("time.devices.one = 1 device\n", "", "Missing: time.devices.one"),
            ("removal.consequences.1", "removal.consequences.9", "Missing: removal.consequences.1"),
            (
                "common.help = Help\n", "common.help = Help\ncommon.hepl = x\n",
                "No page has common.hepl"
            ),
            ("common.help = Help\n", "common.help = Help\ncommon.help = x\n", "Twice: common.help"),
            ("common.help = Help\n", "common.help = Help\nand more\n", "No key and text: and more"),
            ("{client} will be", "{client will be", "consent.grants: {client will be"),
        ]
    )
    func faults(old: String, new: String, fault: String) {
        let file = Language.english.file
        #expect(file.contains(old))
        let (words, faults) = Words.read(file.replacing(old, with: new), .english)
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
        let cancel = fault.contains("cancel") ? "common.cancel" : "Cancel"
        #expect(words.common.cancel.plain == cancel)
    }

    @Test("a line that ends with a backslash goes on in the next one; comments are not read")
    func lines() {
        let file = LanguageFile("# a = b\nx.y = one \\\n    two\n\n  z = {a} = b \n")
        #expect(file.texts == ["x.y": "one two", "z": "{a} = b"])
        #expect(file.faults == [])
        #expect(LanguageFile("x = y \\").faults.count == 1)
    }
}

@Suite("Language of the pages") struct LanguageTests {
    @Test(
        "OpenID Connect Core §3.1.2.1: ui_locales is tried in its order, then the browser's wish",
        arguments: [
            ("de", nil, Language.german), ("fr-CA fr de en", nil, .german),
            ("de-AT", "en", .german),
            ("ar", nil, .arabic), ("ar-EG en", nil, .arabic), (nil, "ar-SA,ar;q=0.9", .arabic),
            ("DE-de", nil, .german), ("de-Latn-DE-1996-x-bla", nil, .german),
            ("en de", nil, .english),
            ("fr", "de-CH,de;q=0.9", .german), (nil, "en;q=0.5, de;q=0.8", .german),
            (nil, "de;q=0, en", .english), (nil, "de;q=0", .english), (nil, nil, .english),
            ("", "", .english), ("den", "*", .english), ("-de", "--", .english),
            ("  de ", nil, .german), (nil, "fr, de ; q=0.001", .german),
            (nil, "de;q=2, en;q=0.1", .english), (nil, "de;q=nan,de;q=-1,de;q=1.5", .english),
            (nil, "en, de", .english), (nil, "de, en", .german),
            (nil, "de;q=0.99999999999999999999999", .english), ("\u{1F1E9}", "ä,\u{0}", .english),
        ] as [(String?, String?, Language)]
    )
    func best(uiLocales: String?, acceptLanguage: String?, expected: Language) {
        #expect(Language.best(uiLocales: uiLocales, acceptLanguage: acceptLanguage) == expected)
    }

    @Test("a header of any length is read up to a bound")
    func bounded() {
        let long = String(repeating: "fr,", count: 500_000) + "de"
        #expect(Language.best(uiLocales: nil, acceptLanguage: long) == .english)
        let subtags = String(repeating: "a-", count: 500_000)
        #expect(Language.best(uiLocales: subtags, acceptLanguage: "de") == .german)
    }

    @Test("RFC 9110 §12.4.2: between equals the first one counts")
    func order() {
        #expect(AcceptLanguage("a;q=0.5,b,c,d;q=0.75").tags == ["b", "c", "d", "a"])
    }
}

@Suite("Words of the pages") struct PagesWordsTests {
    @Test(
        "what a person reads names no codes, blames no one and does not shout",
        arguments: RenderedState.all
    )
    func manners(state: RenderedState) throws {
        let page = try state.markup
        var text = page.all("body").map(\.text).joined()
        for hidden in (page.all("details") + page.all("script")).map(\.text) {
            text = text.replacing(hidden, with: "")
        }
        // What such an app is called, and what one is that no one knows here.
        text = text.lowercased().replacing("authenticator", with: "")
            .replacing("this app isn’t registered here", with: "")
        let avoided =
            switch state.language {
            case .english:
                [
                    "log in", "login", "log out", "register", "authenticat", "invalid",
                    "identity provider",
                ]
            case .german:
                [
                    "einlogg", "auslogg", "registrier", "authentifi", "ungültig",
                    "identitätsanbieter",
                ]
            case .arabic: ["مصادقة", "غير صالح", "مزود الهوية"]
            }
        for word in avoided + ["!", "！", "_request", "oauth", "oidc"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test("each page is whole in each language: nothing is left in English")
    func translated() throws {
        let shared: Set = [
            "Demo", "D", "7F3K-2M9Q", "Client", "Code", ".", "?", "Google", ",", ", ", "Name",
            // The vendor's own name of it.
            "Account",
        ]
        func states(_ language: Language) -> [RenderedState] {
            RenderedState.all.filter { $0.language == language && !$0.isThemed }
        }
        func sentences(_ state: RenderedState) throws -> Set<String> {
            Set(
                try state.markup.all("body").flatMap(\.all)
                    .filter { $0.name != "bdi" && $0.name != "script" }
                    .flatMap(\.children).compactMap { child in
                        guard case .text(let text) = child else { return nil }
                        let words = text.trimmingPrefix { $0.isWhitespace }
                        return words.allSatisfy(\.isWhitespace) ? nil : String(words)
                    }
            )
        }
        for other in [Language.german, .arabic] {
            for (english, translation) in zip(states(.english), states(other)) {
                let same = try sentences(english).intersection(sentences(translation))
                    .subtracting(shared).filter { $0.count > 1 && !$0.allSatisfy(\.isNumber) }
                #expect(same == [], "\(translation.testDescription)")
            }
        }
    }

    @Test("Arabic words are Arabic: Latin letters stand in isolates")
    func arabicScript() throws {
        let vendors = ["Apple", "https"]
        for state in RenderedState.all where state.language == .arabic {
            for element in try state.markup.all("body").flatMap(\.all)
            where !["bdi", "script"].contains(element.name)
                && element.attributes["aria-hidden"] == nil
            {
                for case .text(let text) in element.children {
                    let rest = vendors.reduce(text) { $0.replacing($1, with: "") }
                    #expect(!rest.contains(/[A-Za-z]/), "\(state.testDescription): \(text)")
                }
            }
        }
    }

    @Test(
        "RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6: each error code has its words",
        arguments: [
            ("invalid_request", ErrorPage.Issue.requestNotUnderstood),
            ("invalid_scope", .requestNotUnderstood),
            ("unsupported_response_type", .requestNotUnderstood),
            ("request_not_supported", .requestNotUnderstood),
            ("request_uri_not_supported", .requestNotUnderstood),
            ("unauthorized_client", .unknownClient), ("invalid_client", .unknownClient),
            ("temporarily_unavailable", .busy), ("server_error", .serverError),
            ("something_new", .serverError), ("", .serverError),
        ]
    )
    func issues(code: String, expected: ErrorPage.Issue) {
        #expect(ErrorPage.Issue(oauthError: code) == expected)
    }

    @Test(
        "a wait is told as a person would say it",
        arguments: [
            (45, "Wait 45 seconds, then"), (1, "Wait 1 second, then"), (0, "Wait 1 second, then"),
            (-5, "Wait 1 second, then"), (90, "Wait 90 seconds, then"),
            (91, "Wait 2 minutes, then"),
            (120, "Wait 2 minutes, then"), (121, "Wait 3 minutes, then"),
            (Int.max, "minutes, then"), (Int.min, "Wait 1 second, then"),
        ]
    )
    func wait(seconds: Int, expected: String) throws {
        let page = SignInPage(
            client: "Notes",
            form: PageForm(action: "/", request: nil, csrf: "c"),
            problem: .mustWait(seconds: seconds)
        )
        #expect(try PageRenderer().html(page, in: .english, frame: PageFrame()).contains(expected))
    }

    @Test("technical details hold the code, closed; an unregistered redirect is no link")
    func details() throws {
        let page = ErrorPage(
            issue: .unknownRedirect,
            client: "Notes",
            details: .init(code: "invalid_request", clientID: "notes", time: nil)
        )
        let markup = try Markup(
            page: PageRenderer().html(page, in: .english, frame: PageFrame(reference: "R1"))
        )
        let details = try #require(markup.all("details").first)
        #expect(details.attributes.isEmpty, "closed")
        #expect(details.all("dd").map(\.text) == ["invalid_request", "notes", "R1"])
        #expect(markup.all("a").isEmpty)
    }
}

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
            ("transition:generic", "Full access to your account: read, add, change and delete"),
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
        #expect(title == "We don’t know these permissions, so reader.example.com doesn’t get them")
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

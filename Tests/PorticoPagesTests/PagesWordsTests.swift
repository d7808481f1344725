import PorticoPages
import PorticoTestSupport
import Testing

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
                    #expect(
                        !rest.contains(/[A-Za-z]/),
                        "\(state.testDescription): \(text)"
                    )
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

    @Test(
        "technical details hold the code, closed, and a redirect that is not registered is no link"
    )
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

import PorticoGallery
import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Pages, for everyone") struct PagesAccessibilityTests {
    @Test("WCAG 3.1.1: the page names its language and direction", arguments: RenderedState.all)
    func language(state: RenderedState) throws {
        let page = try state.markup
        #expect(page.attributes["lang"] == state.language.tag)
        #expect(page.attributes["dir"] == (state.language == .arabic ? "rtl" : "ltr"))
    }

    @Test(
        "WCAG 2.4.2: the title says what the page is, whose, and first that it is an error",
        arguments: RenderedState.all
    )
    func title(state: RenderedState) throws {
        let page = try state.markup
        let title = try #require(page.all("title").first).text
        let heading = try #require(page.all("h1").first).text
        let isError =
            state.state.page.isError
            || !page.all.allSatisfy { $0.attributes["role"] != "alert" }
        let prefix = isError ? Self.prefixes[state.language] : ""
        #expect(title == "\(prefix ?? "")\(heading) – Demo")
    }

    private static let prefixes: [Language: String] = [
        .english: "Error: ", .german: "Fehler: ", .arabic: "خطأ: ",
    ]

    @Test("WCAG 2.4.1, 2.4.6: landmarks, and headings without a gap", arguments: RenderedState.all)
    func landmarks(state: RenderedState) throws {
        let page = try state.markup
        for landmark in ["header", "main", "footer", "h1"] {
            #expect(page.all(landmark).count == 1, "\(landmark)")
        }
        #expect(page.all.allSatisfy { !["h3", "h4", "h5", "h6"].contains($0.name) })
        #expect(page.all("h2").allSatisfy { !$0.text.isEmpty })
        for element in page.all {
            if let label = element.attributes["aria-labelledby"] {
                #expect(page.element(id: label)?.text.isEmpty == false, "\(label)")
            }
        }
    }

    @Test(
        "WCAG 1.3.1, 3.3.2: each field has a visible label tied to it",
        arguments: RenderedState.all
    )
    func labels(state: RenderedState) throws {
        let page = try state.markup
        for field in page.all("input") where field.attributes["type"] != "hidden" {
            let id = try #require(field.attributes["id"])
            let labels = page.all("label").filter { $0.attributes["for"] == id }
            #expect(labels.count == 1 && labels.allSatisfy { !$0.text.isEmpty })
        }
        for control in page.all("button") + page.all("a") {
            #expect(!control.text.isEmpty && control.attributes["aria-label"] == nil)
        }
    }

    @Test(
        "WCAG 1.3.5, 3.3.8: fields say what they are for, and nothing stands in a password manager's way",
        arguments: RenderedState.all
    )
    func autocomplete(state: RenderedState) throws {
        let page = try state.markup
        for field in page.all("input") {
            #expect(field.attributes["type"] != "password" || field.attributes["value"] == nil)
            #expect(field.attributes["autocomplete"] != "off")
            for name in ["maxlength", "pattern", "onpaste"] {
                #expect(field.attributes[name] == nil)
            }
            if let expected = Self.autocompletes[field.attributes["id"] ?? ""] {
                #expect(expected.contains(field.attributes["autocomplete"] ?? ""))
            }
        }
        if state.pageName == "EmailCodePage" {
            let codes = page.all("input").filter { $0.attributes["type"] != "hidden" }
            #expect(codes.map { $0.attributes["inputmode"] } == ["numeric"], "one field")
        }
        guard state.pageName == "SignInPage", page.element(id: "password") != nil else { return }
        let name = try #require(page.element(id: "username")).attributes
        #expect(name["autocomplete"] == "username" && name["name"] == "username")
        #expect(name["autocapitalize"] == "none" && name["spellcheck"] == "false")
        let password = try #require(page.element(id: "password")).attributes
        #expect(password["autocomplete"] == "current-password" && password["type"] == "password")
        #expect(password["value"] == nil, "a password is never sent back")
        #expect(page.all.allSatisfy { $0.attributes["autocomplete"] != "off" })
        #expect(page.all.allSatisfy { $0.attributes["maxlength"] == nil })
    }

    @Test(
        "WCAG 3.3.1: a problem is told at the top, takes the focus and leads to its field",
        arguments: RenderedState.all
    )
    func problems(state: RenderedState) throws {
        let page = try state.markup
        guard let summary = page.all.first(where: { $0.attributes["role"] == "alert" }) else {
            #expect(page.all.allSatisfy { $0.attributes["aria-invalid"] == nil })
            return
        }
        #expect(summary.attributes["tabindex"] == "-1" && summary.attributes["autofocus"] == "")
        #expect(page.all.count { $0.attributes["autofocus"] != nil } == 1)
        let main = try #require(page.all("main").first)
        #expect(main.all.dropFirst().first == summary)
        for link in summary.all("a") {
            let field = try #require(link.attributes["href"]?.dropFirst())
            let input = try #require(page.element(id: String(field))).attributes
            #expect(input["aria-invalid"] == "true")
            let beside = try #require(input["aria-describedby"])
            let words = beside.split(separator: " ").map {
                page.element(id: String($0))?.text.trimmed
            }
            #expect(words.contains(link.text), "the same words beside the field")
        }
        let wrong = page.all("input").filter { $0.attributes["aria-invalid"] != nil }
        #expect(wrong.isEmpty == summary.all("a").isEmpty)
    }

    /// What a field of an id may be for.
    private static let autocompletes: [String: Set<String>] = [
        "username": ["username"], "handle": ["username"], "email": ["email"], "name": ["name"],
        "code": ["one-time-code"],
        "password": ["current-password", "new-password"],
    ]

    @Test("WCAG 3.3.7: the name that was typed is kept")
    func nameKept() throws {
        let page = SignInPage(
            client: "Notes",
            form: PageForm(action: "/", request: nil, csrf: "c"),
            userName: "ann",
            problem: .wrongPair
        )
        let html = try PageRenderer().html(page, in: .english, frame: PageFrame())
        let markup = try Markup(page: html)
        #expect(markup.element(id: "username")?.attributes["value"] == "ann")
        #expect(markup.all("input").filter { $0.attributes["aria-invalid"] == "true" }.count == 2)
    }

    @Test(
        "WCAG 3.2.6: reference and help stand in the same place on each page",
        arguments: RenderedState.all
    )
    func sameFooter(state: RenderedState) throws {
        let page = try state.markup
        let footer = try #require(page.all("footer").first)
        let first = RenderedState.all.first { $0.language == state.language }
        #expect(footer == (try first?.markup.all("footer").first))
        #expect(footer.text.contains("7F3K-2M9Q") && footer.all("a").count == 1)
        // What is behind it is not seen.
        let last = page.all("body").first?.children.last { child in
            guard case .element(let element) = child else { return false }
            return element.name != "script" && element.attributes["id"] != "sending"
        }
        #expect(last == .element(footer))
    }

    @Test("WCAG 1.4.4, 1.4.10: nothing keeps a person from zooming", arguments: RenderedState.all)
    func zoom(state: RenderedState) throws {
        let viewports = try state.markup.all("meta").filter { $0.attributes["name"] == "viewport" }
        #expect(
            viewports.map { $0.attributes["content"] } == ["width=device-width, initial-scale=1"]
        )
    }

    @Test("to allow and not to allow are buttons of one kind")
    func equalChoices() throws {
        for state in RenderedState.all
        where ["ConsentPage", "SignOutPage", "AddMethodPage"].contains(state.pageName) {
            let choices = try state.markup.all.filter { $0.attributes["class"] == "actions pair" }
                .flatMap { $0.all("button") }
            #expect(choices.count == 2)
            #expect(Set(choices.map { $0.attributes["class"] }).count == 1)
        }
    }

    @Test("names of people stand in an isolate of their own, hidden from no reader")
    func isolates() throws {
        for state in RenderedState.all {
            let page = try state.markup
            let isolated = page.all("bdi").map(\.text).joined(separator: "\n")
            for name in ["Ann Example", "Notes", "reader.example", "@example.com", "203.0.113.7"]
            where page.all("main").map(\.text).joined().contains(name) {
                #expect(isolated.contains(name), "\(name) in \(state.testDescription)")
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    }
}

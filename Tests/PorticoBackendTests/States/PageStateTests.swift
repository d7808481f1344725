import HTTPTypes
import PorticoGallery
import PorticoPages
import PorticoTestSupport
import Testing

@Suite("States of the pages") struct PageStateTests {
    /// A state as its page renders it by itself.
    private static func markup(_ state: GalleryState, _ language: Language) throws -> Markup {
        let frame = PageFrame(realm: "Example", reference: "7F3K-2M9Q")
        return try Markup(page: PageRenderer().html(state.page, in: language, frame: frame))
    }

    private static let states: [String: GalleryState] = Dictionary(
        PageGallery.pages.flatMap { page in page.gallery.map { ("\(page), \($0.name)", $0) } }
    ) { first, _ in first }

    @Test("the gallery states that no walk reaches: none")
    func complete() {
        let reached = PageWalk.all.map(\.key)
        let unreached = Set(Self.states.keys).subtracting(reached)
        #expect(unreached.filter { !Self.isUnserved($0) }.sorted() == [])
        #expect(reached.filter(Self.isUnserved).sorted() == [], "it is served now")
        #expect(Set(reached).subtracting(Self.states.keys).sorted() == [], "no such state")
        #expect(reached.count == Set(reached).count, "two walks to one state")
    }

    /// What a realm that is an AT Protocol host shows. None is among those that are walked here: the
    /// Provider's own tests come to them.
    private static func isUnserved(_ state: String) -> Bool {
        let states = [
            "AccountWithoutDIDPage, asked", "ConsentPage, client document",
            "ConsentPage, client for development",
            "ConsentPage, client document, everything", "ConnectedAppsPage, by document",
            // Takes a disk without room: FullDiskTests.
            "ErrorPage, cannot save",
        ]
        return states.contains(state)
    }

    /// All walks in English, and one of three in each of the other languages.
    private static let sample: [(PageWalk, Language)] = Language.allCases.enumerated().flatMap {
        place,
        language in
        PageWalk.all.enumerated().filter { language == .english || $0.offset % 3 == place }
            .map { ($0.element, language) }
    }

    @Test("no two states of the gallery look the same", arguments: Language.allCases)
    func distinct(_ language: Language) throws {
        var known: [PageSkeleton: String] = [:]
        for (name, state) in Self.states {
            let skeleton = PageSkeleton(try Self.markup(state, language))
            #expect(known.updateValue(name, forKey: skeleton) == nil, "\(name)")
        }
    }

    @Test(
        "each state of each page is what the services show after the right steps",
        arguments: sample
    )
    func reached(_ walk: PageWalk, _ language: Language) async throws {
        let walker = Walker(language: language)
        let state = try #require(Self.states[walk.key])
        let expected = try Self.markup(state, walker.language)
        let reply = try await walk.walk(walker)
        let page = try Markup(page: reply.text)
        let difference = PageSkeleton(page).lines.difference(from: PageSkeleton(expected).lines)
        #expect(difference.isEmpty, "\(reply.status)\n\(Self.told(difference))")
        Self.expectHeaders(reply)
        expectTitle(page, expected, state)
        #expect(page.attributes["lang"] == walker.language.tag)
        #expect(page.attributes["dir"] == walker.language.direction)
    }

    /// Lines that the services show and the gallery does not, and the other way round.
    private static func told(_ difference: CollectionDifference<String>) -> String {
        difference.map { change in
            switch change {
            case .insert(_, let line, _): "shown: \(line)"
            case .remove(_, let line, _): "only in the gallery: \(line)"
            }
        }.joined(separator: "\n")
    }

    private static func expectHeaders(_ reply: Reply) {
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
        #expect(reply.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    }

    /// WCAG 2.4.2: the heading and whose page it is; first that it is an error.
    private func expectTitle(_ page: Markup, _ expected: Markup, _ state: GalleryState) {
        let (title, inGallery) = (Self.titlePrefix(page), Self.titlePrefix(expected))
        #expect(title == inGallery)
        let hasSummary = page.all.contains { $0.attributes["role"] == "alert" }
        #expect(title?.isEmpty == !(hasSummary || state.page.isError))
    }

    private static func titlePrefix(_ page: Markup) -> String? {
        let title = page.all("title").map(\.text).joined()
        let heading = page.all("h1").map(\.text).joined()
        return title.firstRange(of: heading).map { String(title[..<$0.lowerBound]) }
    }
}

/// What a page is made of and says, without what differs from person to person and from time to
/// time: names and addresses from outside, numbers, where forms and links lead. Rows of a list that
/// differ in nothing else are one.
struct PageSkeleton: Hashable, Sendable, CustomStringConvertible {
    /// An element, or a text, in a line; indented.
    let lines: [String]

    var description: String { lines.joined(separator: "\n") }

    /// - Parameter page: A whole page. The frame around it, which says whose it is, is left out.
    init(_ page: Markup) {
        let parts = page.all.filter { ["nav", "main"].contains($0.name) }
        lines =
            ["\(page.attributes["lang"] ?? "") \(page.attributes["dir"] ?? "")"]
            + parts.flatMap { Self.lines(of: $0, "") }
    }

    private static func lines(of element: Markup, _ indent: String) -> [String] {
        // Browsers' names stand in an isolate too, where they are in another script than the words.
        let isFromOutside =
            element.name == "bdi" && !["Safari", "Chrome"].contains(element.text)
            || element.attributes["aria-hidden"] == "true"
            || element.name == "script"
        let inner = isFromOutside ? [] : lines(in: element.children, indent + " ")
        return ["\(indent)\(shown(element))"] + inner
    }

    private static func lines(in children: [Markup.Child], _ indent: String) -> [String] {
        var lines: [String] = []
        var last: [String] = []
        for child in children {
            switch child {
            case .text(let text):
                let words = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
                if !words.isEmpty { lines.append(indent + withoutNumbers(words)) }
            case .element(let element) where isUnseen(element):
                continue
            case .element(let element):
                let these = self.lines(of: element, indent)
                if these == last {
                    if lines.last != indent + "and more" { lines.append(indent + "and more") }
                } else {
                    lines += these
                }
                last = these
            }
        }
        return lines
    }

    /// What binds a form to its browser and to what it is about.
    private static func isUnseen(_ element: Markup) -> Bool {
        element.attributes["type"] == "hidden"
            && ["csrf", "about", "answer", "request", "id", "replaces", "return_to"].contains(
                element.attributes["name"] ?? ""
            )
    }

    private static func shown(_ element: Markup) -> String {
        let attributes = element.attributes.sorted { $0.key < $1.key }.compactMap { name, value in
            shown(name, value, of: element).map { "\(name)=\($0)" }
        }
        return "<\(([element.name] + attributes).joined(separator: " "))>"
    }

    /// An attribute as far as it is the page's own; `nil` where it is not.
    private static func shown(_ name: String, _ value: String, of element: Markup) -> String? {
        switch name {
        case "action": return nil
        case "formaction", "nonce", "d": return "…"
        case "value" where element.attributes["name"] == "action": return value
        case "value" where element.name == "button": return nil
        case "value": return value.isEmpty ? "nothing" : "something"
        case "href": return place(value)
        default: return withoutNumbers(value)
        }
    }

    /// A link's path, without realm and query; whatever is elsewhere is one place.
    private static func place(_ href: String) -> String {
        guard href.hasPrefix("/") else { return href.hasPrefix("#") ? href : "elsewhere" }
        var segments = href.prefix { $0 != "?" }.split(separator: "/")
        for index in segments.indices.dropFirst()
        where ["realms", "auth"].contains(segments[index - 1]) {
            segments[index] = "…"
        }
        return "/" + segments.joined(separator: "/")
    }

    private static func withoutNumbers(_ text: String) -> String {
        text.replacing(/[0-9]+/, with: "#")
    }
}

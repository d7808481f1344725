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

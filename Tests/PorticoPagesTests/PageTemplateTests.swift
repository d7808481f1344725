import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Templates of the pages") struct PageTemplateTests {
    @Test("each tag names something that the page has: a typo would be rendered as nothing")
    func tags() throws {
        var walk = TemplateWalk()
        var themed = RenderedState.frame
        themed.theme = try #require(RenderedState.theme)
        let frames = [RenderedState.frame, PageFrame(), themed]
        for page in PageGallery.pages {
            for state in page.gallery {
                for frame in frames { try walk.walk(state.page, frame: frame) }
            }
        }
        #expect(walk.problems == [])
        #expect(walk.unreached == [], "no state of the gallery shows these")
    }

    @Test("WEB-XSS-1: only our own style and script are written unescaped")
    func unescaped() throws {
        let unescaped = try PageTemplate.allCases.flatMap { template in
            try TemplateNode.parse(template.text).flatMap(\.all).compactMap { node in
                if case .unescaped(let name) = node.kind { "\(template) \(name)" } else { nil }
            }
        }
        #expect(unescaped.sorted() == ["formPost script", "layout style"])
    }

    @Test("WEB-XSS-1: each tag within an element stands between quotation marks or is a section")
    func quoted() throws {
        for template in PageTemplate.allCases {
            var inTag = false
            var quoted = false
            var rest = template.text[...]
            while let character = rest.first {
                if rest.hasPrefix("{{") {
                    let sigil = rest.dropFirst(2).first
                    if inTag, !quoted {
                        #expect(sigil == "#" || sigil == "/" || sigil == "^", "\(template)")
                    }
                    if inTag { #expect(sigil != "&" && sigil != "{", "\(template)") }
                    guard let end = rest.firstRange(of: "}}") else { break }
                    rest = rest[end.upperBound...]
                    continue
                }
                switch character {
                case "<" where !quoted: inTag = true
                case ">" where !quoted: inTag = false
                case "\"" where inTag: quoted.toggle()
                default: break
                }
                rest = rest.dropFirst()
            }
            #expect(!inTag && !quoted, "\(template)")
        }
    }
}

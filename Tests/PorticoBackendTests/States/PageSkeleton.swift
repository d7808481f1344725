import PorticoTestSupport

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

/// The account pages, as each of them shows them.
package struct PageNavigation: Sendable {
    package enum Entry: String, Sendable, CaseIterable {
        case overview = ""
        case details
        case ways
        case devices
        case apps
    }

    /// The path below which the pages are.
    package let base: String
    /// Those that there are.
    package let entries: [Entry]
    /// The page that is open; a page says so itself.
    var here: Entry?

    package init(base: String = "/account", entries: [Entry] = Entry.allCases) {
        self.base = base
        self.entries = entries
    }

    func at(_ entry: Entry?) -> PageNavigation {
        var copy = self
        copy.here = entry
        return copy
    }

    package func link(_ entry: Entry) -> PageLink? {
        PageLink(path: entry == .overview ? base : "\(base)/\(entry.rawValue)")
    }

    /// What the layout reads.
    struct View: Sendable {
        struct Item: Sendable {
            let link: PageLink
            let itemLabel: String
            let isHere: Bool
        }

        let navigationLabel: String
        let items: [Item]

        init(_ navigation: PageNavigation, _ words: Words) {
            navigationLabel = words.area.navigation
            items = navigation.entries.compactMap { entry in
                navigation.link(entry).map { link in
                    Item(
                        link: link,
                        itemLabel: words.area.entry(entry),
                        isHere: entry == navigation.here
                    )
                }
            }
        }
    }
}

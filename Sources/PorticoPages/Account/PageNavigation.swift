import PorticoBytes

/// The account pages, as each of them shows them.
package struct PageNavigation: Sendable {
    package enum Place: String, Sendable, CaseIterable {
        case overview = ""
        case details
        case ways
        case devices
        case apps
    }

    /// The path below which the pages are.
    package let base: String
    /// Those that there are.
    package let places: [Place]
    /// The page that is open; a page says so itself.
    var here: Place?

    /// What every account has.
    package static let accountPages: [Place] = [.overview, .details, .ways, .devices]

    package init(base: String = "/account", entries places: [Place] = accountPages) {
        self.base = base
        self.places = places
    }

    func at(_ place: Place?) -> PageNavigation {
        var copy = self
        copy.here = place
        return copy
    }

    package func link(_ place: Place) -> PageLink? {
        PageLink(path: place == .overview ? base : "\(base)/\(place.rawValue)")
    }

    /// Of the people of a realm at the Provider.
    static let sampleOfRealm = PageNavigation(
        base: "/realms/demo/account",
        entries: [.apps, .devices]
    )

    /// What the layout reads.
    func html(_ words: Words) -> HTML {
        let items = places.compactMap { place in
            link(place).map { link in
                HTML.element(
                    .li,
                    .element(
                        .a,
                        to: link,
                        [.ariaCurrent: place == here ? "page" : nil],
                        .text(words.area.place(place))
                    )
                )
            }
        }
        return .element(
            .nav,
            [.class: "pages", .ariaLabel: words.area.navigation],
            .element(.ul, HTML(items))
        )
    }
}

import PorticoBytes

/// The account pages, as each of them shows them.
package struct PageNavigation: Sendable {
    package enum Place: String, Sendable, CaseIterable {
        case overview = ""
        case details
        case methods = "ways"
        case devices
        case apps
        case password
        case secondFactors = "second-factor"
    }

    /// The path below which the pages are.
    package let base: String
    /// Those that there are.
    package let places: [Place]
    /// The page that is open; a page says so itself.
    var here: Place?

    /// What every account has.
    package static let accountPages: [Place] = [.overview, .details, .methods, .devices]

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
                        words.area.place(place).html
                    )
                )
            }
        }
        return .element(
            .nav,
            [.class: "pages", .ariaLabel: words.area.navigation.plain],
            .element(.ul, HTML(items))
        )
    }
}

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
            items = navigation.places.compactMap { place in
                navigation.link(place).map { link in
                    Item(
                        link: link,
                        itemLabel: words.area.place(place),
                        isHere: place == navigation.here
                    )
                }
            }
        }
    }
}

import PorticoBytes

/// The account pages, as each of them shows them.
package struct PageNavigation: Sendable {
    /// The pages that there are, in this order, each below a path.
    package let entries: [(place: AccountPlace, base: String)]
    /// The page that is open; a page says so itself.
    var here: AccountPlace?

    /// What every account has.
    package static let accountPages: [AccountPlace] = [.overview, .details, .methods, .devices]

    package init(base: String = "", entries places: [AccountPlace] = accountPages) {
        entries = places.map { ($0, base) }
    }

    private init(_ entries: [(place: AccountPlace, base: String)]) {
        self.entries = entries
    }

    /// - Parameters:
    ///   - base: What the realm's addresses begin with: `/realms/shop`.
    ///   - hasMethods: Whether its people can sign in with identity providers,
    ///   - hasPassword: and with a password.
    package static func ofRealm(_ base: String, hasMethods: Bool, hasPassword: Bool)
        -> PageNavigation
    {
        PageNavigation(
            base: base,
            entries: [.overview, .details] + (hasMethods ? [.methods] : []) + [.devices]
                + ofProvider(hasPassword)
        )
    }

    /// Of the realm whose people sign in at the backend, on the same host: one account area.
    package static func shared(withRealmAt base: String, hasPassword: Bool) -> PageNavigation {
        PageNavigation(
            accountPages.map { ($0, "") } + ofProvider(hasPassword).map { ($0, base) }
        )
    }

    private static func ofProvider(_ hasPassword: Bool) -> [AccountPlace] {
        [.apps] + (hasPassword ? [.password] : []) + [.secondFactors]
    }

    func at(_ place: AccountPlace?) -> PageNavigation {
        var copy = self
        copy.here = place
        return copy
    }

    /// What the layout reads.
    func html(_ words: Words) -> HTML {
        let items = entries.compactMap { entry in
            PageLink(path: entry.base + entry.place.path).map { link in
                HTML.element(
                    .li,
                    .element(
                        .a,
                        to: link,
                        [.ariaCurrent: entry.place == here ? "page" : nil],
                        words.area.place(entry.place).html
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

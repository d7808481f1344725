import PorticoProtocol

/// A list as commands show it: filtered, cut to a page, with the way to the next one.
struct Listing<Item> {
    /// In the order of their keys.
    let items: [Item]
    /// Where the next page begins, where there is one.
    let next: String?
    /// Whether there may be more than what was asked for.
    private let isPart: Bool

    /// - Parameters:
    ///   - items: All of them, in the order of their keys.
    ///   - key: What a cursor names.
    ///   - text: What a filter looks in.
    init(
        _ items: [Item],
        _ options: ListOptions,
        key: (Item) -> String,
        text: (Item) -> [String?]
    ) {
        let rest = options.cursor.map { cursor in items.filter { key($0) > cursor } } ?? items
        let found = rest.filter { Self.matches(options.filter, text($0)) }
        self.items = Array(found.prefix(options.limit))
        next = found.count > options.limit ? self.items.last.map(key) : nil
        isPart = options.isPart
    }

    /// - Parameter options: By which the items were found.
    init(items: [Item], next: String?, _ options: ListOptions) {
        self.items = items
        self.next = next
        isPart = options.isPart
    }

    /// What is said where there is nothing.
    func empty(_ none: String) -> String {
        isPart ? "Nothing found. To list all, leave out --filter and --cursor" : none
    }

    static func matches(_ filter: String?, _ texts: [String?]) -> Bool {
        guard let filter = filter?.lowercased(), !filter.isEmpty else { return true }
        return texts.contains { $0?.lowercased().contains(filter) ?? false }
    }
}

extension Console {
    /// - Parameter none: What is said where there is nothing at all, and how to make the first.
    func show<Item>(
        _ listing: Listing<Item>,
        _ headers: Table,
        _ options: ReadOptions,
        none: String,
        row: (Item) -> [String?],
        json: (Item) -> JSONValue
    ) {
        var table = headers
        table.rows = listing.items.map(row)
        if listing.items.isEmpty, !options.json {
            say(listing.empty(none))
            return
        }
        show(
            table,
            .object([
                "items": .array(listing.items.map(json)),
                "next": listing.next.map(JSONValue.string) ?? .null,
            ]),
            options
        )
        if let next = listing.next, !options.json { say("More: --cursor \(printable(next))") }
    }
}

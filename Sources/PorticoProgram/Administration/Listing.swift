import PorticoProtocol

/// A list as commands show it: rows for people, objects for programs.
struct Listing {
    private let table: Table
    private let items: [JSONValue]
    /// Where the next page begins: `null` after the last one, `nil` for a list without pages.
    private let next: JSONValue?
    /// What is said of an empty list.
    private let none: String

    init<Item>(
        _ page: Page<Item>,
        _ headers: Table,
        none: String,
        row: (Item) -> [String?],
        json: (Item) -> JSONObject
    ) {
        self.init(
            page.items,
            headers,
            next: page.next.map(JSONValue.string) ?? .null,
            none: page.isPart
                ? "Nothing found. To list all, leave out --filter and --cursor" : none,
            row: row,
            json: json
        )
    }

    /// - Parameter none: What is said of an empty list: how to create the first item.
    init<Item>(
        _ items: [Item],
        _ headers: Table,
        next: JSONValue? = nil,
        none: String,
        row: (Item) -> [String?],
        json: (Item) -> JSONObject
    ) {
        var table = headers
        table.rows = items.map(row)
        self.table = table
        self.items = items.map { .object(json($0)) }
        self.next = next
        self.none = none
    }

    fileprivate func show(on console: Console, _ options: ReadOptions) throws(Failure) {
        guard !items.isEmpty || options.json else { return console.say(none) }
        var json: JSONObject = ["items": .array(items)]
        if let next { json["next"] = next }
        try console.show(table, .object(json), options)
        guard let next = next?.string, !options.json else { return }
        console.say("More: --cursor \(printable(next))")
    }
}

/// The part of a long list that was asked for.
struct Page<Item> {
    /// In the order of their keys.
    let items: [Item]
    /// Where the next page begins, if there is one.
    let next: String?
    /// Whether there may be more than what was asked for.
    let isPart: Bool

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
        self.init(found: rest.filter { options.matches(text($0)) }, options, key: key)
    }

    /// Reads on until the page is full: a filter may leave little of what is read.
    ///
    /// - Parameter read: Some more of what comes after a cursor, and how many at most.
    init(
        _ options: ListOptions,
        key: (Item) -> String,
        text: (Item) -> [String?],
        read: (String?, Int) async throws -> [Item]
    ) async throws {
        var found: [Item] = []
        var cursor = options.cursor
        let step = 500
        while found.count <= options.limit {
            let items = try await read(cursor, step)
            found += items.filter { options.matches(text($0)) }
            guard items.count == step, let last = items.last else { break }
            cursor = key(last)
        }
        self.init(found: found, options, key: key)
    }

    private init(found: [Item], _ options: ListOptions, key: (Item) -> String) {
        items = Array(found.prefix(options.limit))
        next = found.count > options.limit ? items.last.map(key) : nil
        isPart = options.isPart
    }
}

extension ListOptions {
    fileprivate func matches(_ texts: [String?]) -> Bool {
        guard let filter = filter?.lowercased(), !filter.isEmpty else { return true }
        return texts.contains { $0?.lowercased().contains(filter) ?? false }
    }
}

extension Console {
    func show(_ listing: Listing, _ options: ReadOptions) throws(Failure) {
        try listing.show(on: self, options)
    }
}

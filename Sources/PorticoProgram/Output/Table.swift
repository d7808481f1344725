import PorticoProtocol
import PorticoStores
import PorticoSystem

/// Rows under headers in capitals, without borders.
struct Table {
    let headers: [String]
    /// A `nil` field is empty: `–` for people, nothing for programs.
    var rows: [[String?]] = []

    init(_ headers: String...) {
        self.headers = headers
    }

    /// - Parameter width: Of the terminal; the right-most column is cut to fit. `nil`: no cut.
    func text(width: Int?) -> String {
        let cells = [headers] + rows.map { $0.map { $0.map(printable) ?? "–" } }
        let widths = headers.indices.map { column in
            cells.map { $0[column].count }.max() ?? 0
        }
        return cells.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                guard column < row.count - 1 else {
                    line += Self.cut(cell, to: width.map { $0 - line.count })
                    break
                }
                line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return line
        }.joined(separator: "\n")
    }

    var plain: String {
        rows.map { $0.map { $0.map(printable) ?? "" }.joined(separator: "\t") }
            .joined(separator: "\n")
    }

    private static func cut(_ cell: String, to width: Int?) -> String {
        guard let width, cell.count > width, width > 8 else { return cell }
        return cell.prefix(width - 1) + "…"
    }

    static var terminalWidth: Int? {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
            size.ws_col > 0
        else { return nil }
        return Int(size.ws_col)
    }
}

/// What is shown of one thing: fields under each other for people, an object for programs.
struct Description {
    var json: JSONObject
    var fields: [(name: String, value: String?)]

    var text: String {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            let padding = String(repeating: " ", count: width - field.name.count + 2)
            return field.name + padding + (field.value.map(printable) ?? "–")
        }.joined(separator: "\n")
    }
}

extension Console {
    func show(_ description: Description, _ options: ReadOptions) throws(Failure) {
        if options.json {
            try data(description.json.serialized())
        } else if options.plain {
            try data(
                description.fields
                    .map { "\($0.name)\t\($0.value.map(printable) ?? "")" }
                    .joined(separator: "\n")
            )
        } else {
            try data(description.text)
        }
    }

    /// A value that the command generated, and that can be shown again: alone on stdout.
    func made(_ label: String, _ value: String) throws(Failure) {
        if showsDataOnTerminal { ask("\(label): ") }
        do {
            try data(value)
        } catch {
            throw Failure(
                .output,
                error.what,
                "It was made all the same; only this answer is lost."
            )
        }
    }

    /// A secret that is shown only once: alone on stdout. To be called before it is in use, so that none
    /// is that could not be shown.
    func secret(_ value: String) throws(Failure) {
        if showsDataOnTerminal { ask("Secret: ") }
        do {
            try data(value)
        } catch {
            throw Failure(.output, error.what, "Nothing was changed: the secret is not in use.")
        }
    }
}

func yesNo(_ value: Bool) -> String {
    value ? "yes" : "no"
}

/// Several values on one line, or nothing.
func joined(_ values: [String]) -> String? {
    values.isEmpty ? nil : values.joined(separator: " ")
}

/// A list as commands show it: rows for people, objects for programs.
struct Listing {
    private let table: Table
    private let items: [JSONValue]
    /// Where the next page begins: `null` after the last one, `nil` for a list without pages.
    private let next: JSONValue?
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
    let items: [Item]
    let next: String?
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

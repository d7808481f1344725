/// The list of the products, read: one entry each.
///
/// ```
/// # A remark.
/// | A line of the page's beginning, before the first entry.
/// = name                     an entry begins
/// title: What it is.
/// url: https://…             an address as `--url` takes it; standard-url: where it needs none
/// options: --template web …  what `portico client create` is told; repeat for several lines
/// works: What works.
/// ran: date, versions        repeat for several; none: written from documentation only
/// source: https://…          where its settings are documented; repeat for several
/// note: What else to know.   repeat for several
/// file: name                 a part of its configuration begins
/// | a line of it
/// ```
struct ProductFile {
    /// What the page begins with.
    private(set) var beginning = ""
    private(set) var products: [ClientProduct] = []

    /// Why the file is none, and in which line.
    struct Fault: Error, CustomStringConvertible {
        let line: Int
        let what: StaticString

        var description: String { "The list of products, line \(line): \(what)" }
    }

    init(_ text: String) throws(Fault) {
        var entry: Entry?
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (index, line) in lines.enumerated() {
            let number = index + 1
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line == "|" || line.hasPrefix("| ") {
                let text = String(line.dropFirst(2)) + "\n"
                if entry == nil {
                    beginning += text
                } else if entry?.add(text) != true {
                    throw Fault(line: number, what: "A line of configuration without a file.")
                }
            } else if line.hasPrefix("= ") {
                if let entry { products.append(try entry.product()) }
                entry = Entry(name: String(line.dropFirst(2)), line: number)
            } else if let colon = line.firstRange(of: ": ") {
                guard
                    entry?.set(String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
                        == true
                else { throw Fault(line: number, what: "An unknown key, or one before any entry.") }
            } else {
                throw Fault(line: number, what: "Neither a key nor a line of configuration.")
            }
        }
        if let entry { products.append(try entry.product()) }
        products.sort { $0.name < $1.name }
        for (one, next) in zip(products, products.dropFirst()) where one.name == next.name {
            throw Fault(line: lines.count, what: "Two entries have one name.")
        }
    }

    /// An entry, as far as it was read.
    private struct Entry {
        let name: String
        let line: Int
        var values: [String: [String]] = [:]
        var parts: [(place: String, text: String)] = []

        static let keys: Set = [
            "title", "url", "standard-url", "options", "works", "ran", "source", "note",
        ]

        mutating func set(_ key: String, _ value: String) -> Bool {
            if key == "file" {
                parts.append((value, ""))
                return true
            }
            guard Self.keys.contains(key) else { return false }
            values[key, default: []].append(value)
            return true
        }

        mutating func add(_ text: String) -> Bool {
            guard !parts.isEmpty else { return false }
            parts[parts.count - 1].text += text
            return true
        }

        func product() throws(Fault) -> ClientProduct {
            func all(_ key: String) -> String {
                (values[key] ?? []).joined(separator: " ")
            }
            guard (values["url"] == nil) != (values["standard-url"] == nil) else {
                throw Fault(line: line, what: "An entry has one of url and standard-url.")
            }
            guard !all("title").isEmpty, !all("options").isEmpty, !all("works").isEmpty,
                !parts.isEmpty, values["ran"] != nil || values["source"] != nil
            else {
                throw Fault(
                    line: line,
                    what:
                        "An entry has a title, options, what works, a file, and a proof or source."
                )
            }
            return ClientProduct(
                name: name,
                title: all("title"),
                url: all("url") + all("standard-url"),
                hasStandardURL: values["url"] == nil,
                options: all("options").split(separator: " ").map(String.init),
                works: all("works"),
                ran: values["ran"] ?? [],
                sources: values["source"] ?? [],
                notes: values["note"] ?? [],
                configuration: parts.map { .init(place: $0.place, text: $0.text) }
            )
        }
    }
}

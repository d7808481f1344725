/// A third-party product: the client it needs here, and its own configuration for that client. All
/// of them stand in ``ProductList``.
struct ClientProduct: Sendable {
    let name: String
    let title: String
    /// An address as `--url` takes it: what documents show, and what is used where none is said and
    /// ``hasStandardURL``.
    let url: String
    /// Whether the address is the product's own, the same on every machine.
    let hasStandardURL: Bool
    /// What `portico client create` would be told without `--for`, with placeholders.
    let options: [String]
    /// What a reader may rely on.
    let works: String
    /// When it was run against this server, and with which version; empty: never, it was written from
    /// documentation only.
    let ran: [String]
    let sources: [String]
    let notes: [String]
    let configuration: [Part]

    struct Part: Sendable {
        let place: String
        let text: String
    }

    /// Whether `--url` is the address of an app on a device, whole: com.example.app:/callback.
    var isNative: Bool { !url.hasPrefix("http") }

    var isOfApple: Bool {
        configuration.contains { part in
            part.text.contains("{\(ProductValues.Placeholder.bundleID.rawValue)}")
        }
    }

    /// Whether it was run, and did not only look as if it would.
    var hasRun: Bool { !ran.isEmpty }

    /// The date of the last run, as far as there was one.
    var lastRun: String? { ran.first.map { String($0.prefix { $0 != "," }) } }
}

extension ClientProduct {
    static func all() throws(ProductFile.Fault) -> [ClientProduct] {
        try ProductFile(ProductList.text).products
    }

    static func named(_ name: String) throws -> ClientProduct {
        let products = try all()
        if let product = products.first(where: { $0.name == bounded(name) }) { return product }
        let names = products.map(\.name)
        var advice = ["Available: \(names.joined(separator: " "))"]
        if name.isEmpty {
            throw Failure(.wrongValue, "--for takes the name of a product.", advice: advice)
        }
        if let nearest = Suggestion.nearest(to: bounded(name), among: names) {
            advice.insert("Did you mean \"\(nearest)\"?", at: 0)
        }
        throw Failure(
            .wrongValue,
            "There is no product \"\(printable(bounded(name)))\".",
            advice: advice
        )
    }

    private static func bounded(_ text: String) -> String {
        String(decoding: text.utf8.prefix(64), as: UTF8.self)
    }
}

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

/// The products that `portico client create --for` knows: one entry each, in the form of ``ProductFile``, with the
/// placeholders of ``ProductValues``, in a file of `Resources` for each kind of product. `docs/clients.md` is made of
/// them:
///
///     portico client products --markdown > docs/clients.md
///
/// Name no setting that the product's documentation does not have. Write `ran:` only for what you ran. The order does
/// not matter.
enum ProductList {
    static let text = [
        PackageResources.products_page_txt, PackageResources.products_apps_txt,
        PackageResources.products_frameworks_txt, PackageResources.products_python_txt,
        PackageResources.products_proxies_txt, PackageResources.products_services_txt,
    ]
    .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n\n")
}

/// A third-party product: the client it needs here, and its own configuration for that client. All
/// of them stand in ``ProductList``.
struct ClientProduct: Sendable {
    /// What `--for` takes.
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
    /// Where its settings are documented.
    let sources: [String]
    let notes: [String]
    let configuration: [Part]

    struct Part: Sendable {
        /// A file, or where else the text belongs.
        let place: String
        let text: String
    }

    /// Whether `--url` is the address of an app on a device, whole: com.example.app:/callback.
    var isNative: Bool { !url.hasPrefix("http") }

    /// Whether its configuration names an app of Apple's systems.
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
    /// All that are known, in the order of the alphabet.
    static func all() throws(ProductFile.Fault) -> [ClientProduct] {
        try ProductFile(ProductList.text).products
    }

    /// - Parameter name: As it was typed.
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

    /// As much of a text as any name has.
    private static func bounded(_ text: String) -> String {
        String(decoding: text.utf8.prefix(64), as: UTF8.self)
    }
}

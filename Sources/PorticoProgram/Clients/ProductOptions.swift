import ArgumentParser

/// `--for` and `--url`: a client for a product that is known.
struct ProductOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        defaultAsFlag: "",
        help: ArgumentHelp(
            "For a product, with its own configuration: see portico client products.",
            valueName: "product"
        )
    )
    var product: String? = nil

    @Option(
        name: .customLong("url"),
        help: ArgumentHelp(
            "With --for: where the product is, as people reach it. Repeat for several.",
            valueName: "url"
        )
    )
    var urls: [String] = []

    func validate() throws {
        guard product != nil || urls.isEmpty else {
            throw ValidationError("--url belongs to --for.")
        }
    }

    /// The product that is meant, and where it is.
    func chosen() throws -> ChosenProduct? {
        guard let product else { return nil }
        return try ChosenProduct(ClientProduct.named(product), urls: urls)
    }
}

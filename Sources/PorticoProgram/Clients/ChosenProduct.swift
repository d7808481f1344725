import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What an entry's options say, read as if they had been typed.
struct ProductRegistration: ParsableArguments {
    @Option var template: ClientTemplate
    @OptionGroup var fields: ClientFields
}

struct ChosenProduct {
    let product: ClientProduct
    /// Without a slash at the end; may be empty where a redirect URI was said instead.
    let urls: [String]
    let app: AppleApp

    init(_ product: ClientProduct, urls: [String], app: AppleApp = .example) throws(Failure) {
        guard !app.isNamed || product.isOfApple else {
            throw Failure(
                .usage,
                "--bundle-id and --team belong to --for swift.",
                "The app of another product is named in its own configuration."
            )
        }
        self.product = product
        self.app = app
        var known: [String] = []
        for url in urls {
            guard let url = Self.address(url, isNative: product.isNative) else {
                throw Failure(
                    .wrongValue,
                    "\"\(printable(String(url.unicodeScalars.prefix(200))))\" is not an app's address.",
                    "Expected for \(product.name): \(product.url)"
                )
            }
            known.append(url)
        }
        if known.isEmpty, product.hasStandardURL { known = [product.url] }
        self.urls = known
    }

    private static func address(_ text: String, isNative: Bool) -> String? {
        guard isQuotable(text), !text.utf8.contains(UInt8(ascii: "?")) else { return nil }
        // An app's own scheme: what such an app needs at an address of the web, its entry does not say.
        if isNative { return text.contains(":") && HTTPAddress(text) == nil ? text : nil }
        guard HTTPAddress(text) != nil else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Nothing in it ends a string or a line of any configuration, and it means itself in a query.
    private static func isQuotable(_ address: String) -> Bool {
        (1...1000).contains(address.utf8.count)
            && address.utf8.allSatisfy { isPlain($0) || "~:/[]?=".utf8.contains($0) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "._-".utf8.contains(byte)
    }

    /// A `client_id` stands in files of many languages: here it is one that needs no quoting.
    func check(clientID: String) throws(Failure) {
        guard (1...200).contains(clientID.utf8.count), clientID.utf8.allSatisfy(Self.isPlain) else {
            throw Failure(
                .wrongValue,
                "With --for, a client_id has letters, digits, '-', '_' and '.' only.",
                "Choose one like: \(product.name)"
            )
        }
    }

    /// The addresses that stand in files; those that were said by options of their own, too.
    func check(addressesOf client: Client) throws(Failure) {
        for address in client.redirectURIs.map(\.text) + client.postLogoutRedirectURIs.map(\.text)
        where !Self.isQuotable(address) {
            throw Failure(
                .wrongValue,
                "\"\(printable(String(address.unicodeScalars.prefix(200))))\" would have to be quoted.",
                "With --for, addresses have letters, digits and -._~:/[]?= only."
            )
        }
    }

    /// What the entry says of the client. Lists have a value for each address, the rest the first's.
    ///
    /// - Parameter hasRedirects: Whether redirect URIs were said otherwise.
    func registration(of clientID: String, hasRedirects: Bool) throws -> ProductRegistration {
        let needsURL = product.options.contains { $0.contains("{url}") || $0.contains("{origin}") }
        guard !urls.isEmpty || hasRedirects || !needsURL else {
            throw Failure(
                .wrongValue,
                "--url is missing: where \(product.title) is, as people reach it.",
                "For instance: --url \(product.url)"
            )
        }
        return try ProductRegistration.parse(words(clientID))
    }

    private static let lists: Set = [
        "--redirect-uri", "--post-logout-redirect-uri", "--web-origin",
    ]

    private func words(_ clientID: String) -> [String] {
        var words: [String] = []
        for word in product.options {
            let isPlaced = word.contains("{url}") || word.contains("{origin}")
            guard isPlaced, let option = words.popLast() else {
                words.append(filled(word, clientID, ""))
                continue
            }
            for url in Self.lists.contains(option) ? urls : Array(urls.prefix(1)) {
                words += [option, filled(word, clientID, url)]
            }
        }
        return words
    }

    private func filled(_ word: String, _ clientID: String, _ url: String) -> String {
        ProductValues.fill(word) { placeholder in
            switch placeholder {
            case .url: url
            case .origin: ProductValues.origin(of: url)
            case .clientID: clientID
            case .appScheme: app.scheme
            default: "{\(placeholder.rawValue)}"
            }
        }
    }
}

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

    @Option(help: .value("id", "With --for swift: the bundle ID of the Apple app."))
    var bundleID: String?

    @Option(help: .value("id", "With --for swift: the team ID, ten characters."))
    var team: String?

    func validate() throws {
        guard product != nil || urls.isEmpty else {
            throw ValidationError("--url belongs to --for.")
        }
        guard product != nil || bundleID == nil && team == nil else {
            throw ValidationError("--bundle-id and --team belong to --for swift.")
        }
    }

    func chosen() throws -> ChosenProduct? {
        guard let product else { return nil }
        return try ChosenProduct(
            ClientProduct.named(product),
            urls: urls,
            app: AppleApp(bundleID: bundleID, team: team)
        )
    }
}

/// An app of Apple's systems, as its developer registered it there.
struct AppleApp: Sendable {
    /// In a configuration that is to be read, and where none was said.
    static let example = AppleApp()

    private(set) var bundleID = "com.example.app"
    private(set) var team = "ABCDE12345"
    private(set) var isNamed = false
    /// What stands in for what was not said, with the options that say it.
    private(set) var standIns: [(value: String, option: String)] = []

    private init() {}

    init(bundleID: String?, team: String?) throws(Failure) {
        if let bundleID { try Self.check(bundleID: bundleID) }
        if let team { try Self.check(team: team) }
        self.bundleID = bundleID ?? self.bundleID
        self.team = team ?? self.team
        isNamed = bundleID != nil || team != nil
        if bundleID == nil { standIns.append((self.bundleID, "--bundle-id ID")) }
        if team == nil { standIns.append((self.team, "--team ID")) }
    }

    /// A private-use scheme by the bundle ID, as browsers write it.
    var scheme: String {
        String(decoding: bundleID.utf8.map(\.lowercased), as: UTF8.self)
    }

    static func check(team: String) throws(Failure) {
        guard team.wholeMatch(of: /[A-Z0-9]{10}/) != nil else {
            throw Failure(
                .wrongValue,
                "--team \"\(printable(team))\" is not a team ID.",
                "Expected: ten capital letters and digits, as ABCDE12345."
            )
        }
    }

    static func check(bundleID: String) throws(Failure) {
        guard bundleID.wholeMatch(of: /[A-Za-z0-9.-]{3,155}/) != nil else {
            throw Failure(
                .wrongValue,
                "--bundle-id \"\(printable(bundleID))\" is not a bundle ID.",
                "Expected: letters, digits, '.' and '-', as com.example.notes."
            )
        }
    }
}

import ArgumentParser
import PorticoBytes

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

    /// The product that is meant, and where it is.
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
    /// Whether anything of it was said.
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

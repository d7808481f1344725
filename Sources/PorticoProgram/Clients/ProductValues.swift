import PorticoProvider
import PorticoStores

/// What stands for the placeholders of an entry: `{issuer}`, `{client_id}` and so on. Other braces are
/// the product's own.
struct ProductValues {
    let urls: RealmURLs
    let realm: String
    let clientID: String
    let secret: String
    let url: String
    let redirectURI: String
    let postLogoutRedirectURI: String
    var app = AppleApp.example
    /// A secret of the product's own, as for its cookies.
    let random: () -> String

    enum Placeholder: String, CaseIterable {
        case issuer
        case realm
        /// The issuer without its path: what Keycloak's clients call the server.
        case server
        case clientID = "client_id"
        case clientSecret = "client_secret"
        case url
        /// Scheme and authority of ``url``.
        case origin
        /// Host of ``url``, with the port where it has one.
        case authority
        case scheme
        case redirectURI = "redirect_uri"
        case postLogoutRedirectURI = "post_logout_redirect_uri"
        case discovery
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case userInfo = "userinfo_endpoint"
        case endSession = "end_session_endpoint"
        case keySet = "jwks_uri"
        case bundleID = "bundle_id"
        case teamID = "team_id"
        case appScheme = "app_scheme"
        /// The library's argument for an issuer without https, or nothing.
        case loopbackOptions = "loopback_options"
        case random
    }

    subscript(placeholder: Placeholder) -> String {
        switch placeholder {
        case .issuer: urls.issuer
        case .realm: realm
        case .server:
            urls.base.firstRange(of: "/realms/").map {
                String(urls.base[..<$0.lowerBound])
            } ?? urls.base
        case .clientID: clientID
        case .clientSecret: secret
        case .url: url
        case .origin: Self.origin(of: url)
        case .authority: String(Self.origin(of: url).drop { $0 != "/" }.dropFirst(2))
        case .scheme: String(url.prefix { $0 != ":" })
        case .redirectURI: redirectURI
        case .postLogoutRedirectURI: postLogoutRedirectURI
        case .discovery: urls.issuer + "/.well-known/openid-configuration"
        case .authorization: urls.authorization
        case .token: urls.token
        case .userInfo: urls.userInfo
        case .endSession: urls.endSession
        case .keySet: urls.keySet
        case .bundleID: app.bundleID
        case .teamID: app.team
        case .appScheme: app.scheme
        case .loopbackOptions:
            urls.issuer.hasPrefix("https:") ? "" : ",\n    options: .allowInsecureLoopback"
        case .random: random()
        }
    }

    static func origin(of url: String) -> String {
        guard let slashes = url.firstRange(of: "://") else { return url }
        return String(url[..<slashes.upperBound] + url[slashes.upperBound...].prefix { $0 != "/" })
    }

    /// What is filled in is not looked at again.
    func filled(_ text: String) -> String {
        Self.fill(text) { self[$0] }
    }

    /// A note. A command in it, which ends at a comma, is for this installation.
    func told(_ note: String) -> String {
        let name = "portico "
        guard let start = note.firstRange(of: name) else { return filled(note) }
        let rest = note[start.upperBound...]
        let end = rest.firstIndex(of: ",") ?? rest.endIndex
        let words = Self.fill(String(rest[..<end])) { shellWord(self[$0]) }
        return filled(String(note[..<start.lowerBound]))
            + portico(CommandWords(stringLiteral: words)) + told(String(rest[end...]))
    }

    static func fill(_ text: String, _ value: (Placeholder) -> String) -> String {
        var filled: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "{"), let placeholder = Placeholder(beginning: rest) {
                filled += value(placeholder).utf8
                rest = rest.dropFirst(placeholder.rawValue.utf8.count + 2)
            } else {
                filled.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: filled, as: UTF8.self)
    }
}

extension ProductValues.Placeholder {
    private static let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0

    fileprivate init?(beginning text: ArraySlice<UInt8>) {
        let name = text.dropFirst().prefix(Self.longest + 1).prefix { $0 != UInt8(ascii: "}") }
        guard text.dropFirst(name.count + 1).first == UInt8(ascii: "}") else { return nil }
        self.init(rawValue: String(decoding: name, as: UTF8.self))
    }
}

/// `docs/clients.md`, of the same entries.
struct ProductPage {
    private let file: ProductFile

    init(_ file: ProductFile) {
        self.file = file
    }

    /// With a line feed at its end.
    var text: String {
        var text = file.beginning + "\n" + Self.settings
        text +=
            "\n## Products\n\n| Product | What it is | Run against this server |\n|---|---|---|\n"
        for product in file.products {
            text += "| [\(product.name)](#\(product.name)) | \(product.title) | "
            text += product.lastRun.map { "\($0) |\n" } ?? "never: from documentation |\n"
        }
        for product in file.products { text += section(product) }
        return text
    }

    private static var settings: String {
        let rows = Client.memberRows.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
        return """
            ## Settings

            `portico client create` and `portico client update` take the options, and `portico client show --json` prints
            the names, which are those of RFC 7591 where it has one. An empty value of a list leaves nothing in it. A
            time is a number of seconds, or like `90s`, `10m`, `12h` and `30d`; `realm` stands for the realm's. "Set by" names
            the least that is needed: the client itself when it is registered, an administrator of its realm, or an operator,
            by command.

            | Name | Options | Default | Set by | What it is |
            |---|---|---|---|---|
            \(rows)
            """
    }

    private func section(_ product: ClientProduct) -> String {
        let values = Self.values(of: product)
        var text = "\n## \(product.name)\n\n\(product.title). \(product.works)\n\n"
        text +=
            product.ran.isEmpty
            ? "**Written from its documentation, never run.**\n"
            : product.ran.map { "Run: \($0).\n" }.joined()
        text += "\n```console\n$ portico client create \(product.name) --for \(product.name)"
        text += product.hasStandardURL ? "\n```\n" : " --url \(product.url)\n```\n"
        for part in product.configuration {
            text += "\n\(values.filled(part.place)):\n\n```\n\(values.filled(part.text))```\n"
        }
        for note in product.notes { text += "\n\(values.filled(note))\n" }
        let options = values.filled(product.options.joined(separator: " "))
        text += "\nThe same by hand:\n\n"
        text += "```console\n$ portico client create \(product.name) \(options)\n```\n"
        if !product.sources.isEmpty {
            text +=
                "\nIts documentation: " + product.sources.map { "<\($0)>" }.joined(separator: ", ")
            text += "\n"
        }
        return text
    }

    /// As a reader may take them for their own.
    private static func values(of product: ClientProduct) -> ProductValues {
        let filled = product.options.map {
            ProductValues.fill($0) { placeholder in
                switch placeholder {
                case .url: product.url
                case .origin: ProductValues.origin(of: product.url)
                case .appScheme: AppleApp.example.scheme
                default: ""
                }
            }
        }
        func value(of option: String) -> String {
            zip(filled, filled.dropFirst()).first { $0.0 == option }?.1 ?? ""
        }
        return ProductValues(
            urls: RealmURLs(issuer: "https://id.example.com/realms/shop"),
            realm: "shop",
            clientID: product.name,
            secret: "THE-SECRET",
            url: product.url,
            redirectURI: value(of: "--redirect-uri"),
            postLogoutRedirectURI: value(of: "--post-logout-redirect-uri"),
            app: .example,
            random: { "SOME-RANDOM-TEXT-OF-ITS-OWN" }
        )
    }
}

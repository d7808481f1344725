import PorticoProvider
import PorticoStores

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

    /// Of the table of a client's members.
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

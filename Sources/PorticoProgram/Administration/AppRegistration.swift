import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What an app may register as (RFC 8252 §8.4, docs/decisions/0013 and 0031).
struct AppRegistration {
    let publicURL: String
    let providers: [String]

    struct Refusal: Error, Hashable {
        let field: String
        let rule: String
    }

    /// - Throws: The first rule that the app breaks.
    func check(_ app: App) throws(Refusal) {
        guard Self.isName(app.name) else {
            throw Refusal(
                field: "The name",
                rule: "An app's name is made of lower-case letters, digits and hyphens."
            )
        }
        guard (1...60).contains(app.displayName.count),
            app.displayName.utf8.count <= 240, !app.displayName.contains(where: \.isNewline)
        else {
            throw Refusal(field: "--display-name", rule: "It has 1 to 60 characters.")
        }
        guard !app.redirectURIs.isEmpty || !app.audiences.isEmpty else {
            throw Refusal(
                field: "An app without a redirect URI",
                rule: "Name one: --redirect-uri com.example.app:/callback"
            )
        }
        for (index, text) in app.redirectURIs.enumerated() {
            try check(redirect: text, number: index + 1, app.handOff)
        }
        try checkLinks(app)
    }

    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-")
            }
    }

    /// Dotless schemes and `scheme://host` for the compatibility mode only; plain http on a name
    /// never.
    private func check(redirect text: String, number: Int, _ handOff: App.HandOffForm)
        throws(Refusal)
    {
        let uri = RedirectURI(text)
        let isLenient = handOff == .sessionToken && uri.kind == .privateUseScheme
        do {
            try uri.checkRegistrable(development: isLenient)
        } catch {
            let isOfCompatibility = error == .dotlessScheme || error == .authority
            throw Refusal(
                field: "--redirect-uri (number \(number))",
                rule: "\(error.description)"
                    + (isOfCompatibility && handOff == .code
                        ? " Only an app with --hand-off session-token may use it." : "")
            )
        }
    }

    private func checkLinks(_ app: App) throws(Refusal) {
        for link in app.storeLinks {
            guard let address = HTTPAddress(link), address.isSecure else {
                throw Refusal(field: "--store-link", rule: "It must be an https address.")
            }
        }
    }

    func warnings(_ app: App) -> [String] {
        var warnings: [String] = []
        if let warning = app.sessionWarning {
            warnings.append("\(app.name) \(warning). Prefer --hand-off code.")
        }
        let origins = app.redirectURIs.compactMap { RedirectURI($0).httpsOrigin }
        if !origins.isEmpty, app.appleAppIDs.isEmpty, app.androidApps.isEmpty {
            warnings.append(
                "Nothing says which app opens its https redirect: add --bundle-id with --team, or "
                    + "--android-package with --fingerprint."
            )
        }
        for origin in Set(origins).sorted() where !sameBytes(origin, publicURL) {
            warnings.append(
                "\(origin) is not the public URL \(publicURL): Apple and Google look for the "
                    + "association files there."
            )
        }
        for provider in app.audiences.keys.sorted() where !providers.contains(provider) {
            warnings.append(
                "--audience names provider \(printable(provider)), which does not exist yet."
            )
        }
        return warnings
    }
}

import PorticoProvider

/// What stands for the placeholders of an entry: `{issuer}`, `{client_id}` and so on. Other braces are
/// the product's own.
struct ProductValues {
    let urls: RealmURLs
    let realm: String
    let clientID: String
    /// What `{client_secret}` becomes.
    let secret: String
    /// Where the product is: the first of `--url`.
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
        /// Scheme of ``url``, without the colon.
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
        /// The bundle ID as a private-use scheme.
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
        return String(
            url[..<slashes.upperBound] + url[slashes.upperBound...].prefix { $0 != "/" }
        )
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

    /// - Parameter text: From a brace on.
    fileprivate init?(beginning text: ArraySlice<UInt8>) {
        let name = text.dropFirst().prefix(Self.longest + 1).prefix { $0 != UInt8(ascii: "}") }
        guard text.dropFirst(name.count + 1).first == UInt8(ascii: "}") else { return nil }
        self.init(rawValue: String(decoding: name, as: UTF8.self))
    }
}

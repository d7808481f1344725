import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A client that came with such a realm.
struct KeycloakClient: Sendable {
    let mappers: [ProtocolMapperRecord]
    /// Whether it sees every role of a person.
    let hasFullScope: Bool
    /// The roles that it sees otherwise, besides its own.
    let limits: Set<RoleName>
    let attributes: KeycloakAttributes
    let redirects: RedirectPatterns
    /// Those that are more than "any website": what they permit is the client's own.
    let ownRedirects: RedirectPatterns
    let postLogout: RedirectPatterns
    let origins: OriginPatterns
    /// Of pairwise subjects; see ``PairwiseSubject/sector(of:)``.
    let sector: String?
    private let clientID: String
    private let pairwise: PairwiseSubject?
    /// Where its own pages begin, an http or https address.
    let home: String?

    /// - Parameter serverOrigin: What relative redirect patterns are relative to, where the client
    ///   has no root URL.
    init(
        _ client: Client,
        _ representation: JSONObject,
        limits: Set<RoleName>,
        serverOrigin: String
    ) {
        mappers = representation.protocolMappers
        hasFullScope = representation.bool("fullScopeAllowed") ?? !client.requiresConsent
        self.limits = limits
        attributes = KeycloakAttributes(representation.object("attributes"))
        let rootURL = representation.string("rootUrl").flatMap { $0.isEmpty ? nil : $0 }
        redirects = RedirectPatterns(
            client.redirectURIs.map(\.text),
            rootURL: rootURL,
            serverOrigin: serverOrigin
        )
        ownRedirects = RedirectPatterns(
            client.redirectURIs.map(\.text).filter { !sameBytes($0, "*") },
            rootURL: rootURL,
            serverOrigin: serverOrigin
        )
        postLogout = RedirectPatterns.postLogout(
            client.postLogoutRedirectURIs.map(\.text).joined(separator: "##"),
            redirects: redirects,
            rootURL: rootURL,
            serverOrigin: serverOrigin
        )
        origins = OriginPatterns(client.webOrigins, redirects: redirects)
        clientID = client.clientID
        sector = PairwiseSubject.sector(
            of: redirects.patterns.map { pattern in
                pattern.text.utf8.first == UInt8(ascii: "/")
                    ? (rootURL ?? serverOrigin) + pattern.text : pattern.text
            }
        )
        pairwise = mappers.lazy.compactMap(PairwiseSubject.init).first
        home = Self.home(rootURL, representation.string("baseUrl"), serverOrigin)
    }

    /// `sub` in its tokens (OpenID Connect Core §8).
    func subject(of personID: String) -> String {
        pairwise.map { $0(personID, own: sector, clientID: clientID) } ?? personID
    }

    /// The base URL, which may be relative to the root URL, or that alone (Keycloak
    /// `ResolveRelative`).
    private static func home(_ rootURL: String?, _ baseURL: String?, _ serverOrigin: String)
        -> String?
    {
        let base = baseURL ?? ""
        let home = base.isEmpty || base.hasPrefix("/") ? (rootURL ?? serverOrigin) + base : base
        guard rootURL != nil || !base.isEmpty, home.utf8.count <= RedirectPattern.longest,
            HTTPAddress(home) != nil
        else { return nil }
        return home
    }

    /// Whether its access tokens have only what it needs.
    var isLightweight: Bool { attributes.isOn("client.use.lightweight.access.token.enabled") }
}

package import ArgumentParser
import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// The fields of a new or changed client. What is left out stays as it is.
struct ClientFields: ParsableArguments {
    @Option(help: .value("text", "Its name on the consent page.")) var name: String?

    @Option(help: .value("type", "public: an app; confidential: a server.")) var type: ClientType?

    @Option(
        help: .value(
            "method",
            "How it authenticates: none, client_secret_basic, client_secret_post, private_key_jwt."
        )
    )
    var authentication: ClientAuthenticationMethod?

    @Option(
        name: .customLong("redirect-uri"),
        help: .value("uri", "Where a sign-in may end. Repeat for several.")
    )
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: .value("uri", "Where a sign-out may end. Repeat for several.")
    )
    var postLogoutRedirectURIs: [String] = []

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: .value("uri", "Where logout notices go; \"\" for none.")
    )
    var backchannelLogoutURI: String?

    @Flag(
        name: .customLong("backchannel-logout-session"),
        inversion: .prefixedNo,
        help: "Whether logout notices must have a sid."
    )
    var backchannelLogoutSession: Bool?

    @Option(
        name: .customLong("web-origin"),
        help: .value("origin", "An origin whose scripts may call. Repeat for several.")
    )
    var webOrigins: [String] = []

    @Option(
        name: .customLong("grant-type"),
        help: .value(
            "type",
            "authorization_code, refresh_token or client_credentials. Repeat for several."
        )
    )
    var grantTypes: [GrantType] = []

    @OptionGroup var scopes: ClientScopeFields
    @OptionGroup var tokens: ClientTokenFields
    @OptionGroup var handOn: ClientHandOnFields

    @Flag(inversion: .prefixedNo, help: "Whether people are asked before it gets anything.")
    var consent: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether its people's tokens administer (admin.rest). No other app's do."
    )
    var administers: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether its tokens have every role of the person (a client with --keycloak)."
    )
    var fullScope: Bool?

    @Flag(exclusivity: .exclusive) var codeProtection: CodeProtection?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether its secret is taken by its one method only, not by Basic and in the body."
    )
    var strict: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether its assertions may name the token endpoint as audience (private_key_jwt)."
    )
    var tokenEndpointAudience: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it must push its requests (RFC 9126).")
    var pushedRequests: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether it gets tokens only with a proof of its key (DPoP, RFC 9449)."
    )
    var dpop: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether redirects of development tools are allowed.")
    var development: Bool?

    @Flag(inversion: .prefixedEnableDisable, help: "Whether it is served at all.") var client: Bool?

    @Option(help: .value("path", "A JWK set with its public keys; - for stdin."))
    var jwksFile: String?

    /// - Parameter random: Makes the ids of what is new.
    func apply(to client: inout Client, random: RandomSource) throws {
        if let name { client.name = name }
        if let type { client.type = type }
        if let authentication { client.authentication = authentication }
        if !redirectURIs.isEmpty { client.redirectURIs = redirectURIs.map(RedirectURI.init) }
        if !postLogoutRedirectURIs.isEmpty {
            client.postLogoutRedirectURIs = postLogoutRedirectURIs.map(RedirectURI.init)
        }
        try applyBackchannelLogout(to: &client)
        if !webOrigins.isEmpty { client.webOrigins = webOrigins }
        if !grantTypes.isEmpty { client.grantTypes = Set(grantTypes) }
        try scopes.apply(to: &client)
        try tokens.apply(to: &client, random: random)
        try handOn.apply(to: &client)
        if let fullScope { client.seesAllRoles = fullScope }
        if let consent { client.requiresConsent = consent }
        if let administers { client.administers = administers }
        if let codeProtection { client.codeProtection = codeProtection }
        if let strict { client.authenticatesStrictly = strict }
        if let tokenEndpointAudience { client.takesTokenEndpointAudience = tokenEndpointAudience }
        if let pushedRequests { client.requiresPushedRequests = pushedRequests }
        if let dpop { client.dpopBoundAccessTokens = dpop }
        if let development {
            guard client.redirectRule != .patterns else {
                throw Failure(
                    .refused,
                    "--development has no effect at client \(printable(client.clientID)): "
                        + "its redirect URIs are patterns, and take such addresses without.",
                    "Name the address: --redirect-uri exp://…"
                )
            }
            client.isDevelopment = development
        }
        if let isEnabled = self.client { client.isEnabled = isEnabled }
        if let jwksFile { client.keySet = try Self.keySet(jwksFile) }
    }

    /// - Parameter client: With all options applied.
    /// - Throws: where one was said that does nothing at it (docs/decisions/0123).
    func expectEffect(at client: Client) throws(Failure) {
        func refused(_ option: String, _ why: String, _ advice: String) -> Failure {
            Failure(
                .refused,
                "\(option) has no effect at client \(printable(client.clientID)): \(why)",
                advice
            )
        }
        if client.authentication == .none, strict == true || tokenEndpointAudience == true {
            throw refused(
                strict == true ? "--strict" : "--token-endpoint-audience",
                "it does not authenticate.",
                "A server can: --type confidential --authentication METHOD"
            )
        }
        if jwksFile != nil, client.authentication != .privateKeyJWT {
            throw refused(
                "--jwks-file",
                "it does not authenticate by keys.",
                "It can: --authentication private_key_jwt"
            )
        }
        let ofSignIns = [
            ("--redirect-uri", !redirectURIs.isEmpty),
            ("--post-logout-redirect-uri", !postLogoutRedirectURIs.isEmpty),
            ("--consent", consent == true), ("--stay-signed-in", tokens.staySignedIn != nil),
        ]
        if !client.grantTypes.contains(.authorizationCode),
            let (option, _) = ofSignIns.first(where: { $0.1 })
        {
            throw refused(
                option,
                "no one signs in to it.",
                "Let people sign in to it: --grant-type authorization_code"
            )
        }
    }

    private func applyBackchannelLogout(to client: inout Client) throws(Failure) {
        if let text = backchannelLogoutURI {
            client.backchannelLogoutURI = HTTPAddress(text)
            guard client.backchannelLogoutURI != nil || text.isEmpty else {
                throw Failure(
                    .wrongValue,
                    "\(printable(text)) is not an address for logout notices.",
                    "Expected: https://host/path, without a fragment."
                )
            }
            if text.isEmpty { client.backchannelLogoutSessionRequired = false }
        }
        if let backchannelLogoutSession {
            client.backchannelLogoutSessionRequired = backchannelLogoutSession
        }
    }

    private static func keySet(_ path: String) throws(Failure) -> JSONValue {
        let bytes = try FileInput.bytes(path, limit: 64 * 1024)
        do {
            return .object(try JSONObject(parsing: bytes))
        } catch {
            throw Failure(.wrongValue, "\(printable(path)) is not a JWK set.", "\(error)")
        }
    }
}

extension ClientType: ExpressibleByArgument {}
extension ClientAuthenticationMethod: ExpressibleByArgument {}
extension GrantType: ExpressibleByArgument {}
extension SignatureAlgorithm: ExpressibleByArgument {}
extension AccessTokenType: ExpressibleByArgument {}

extension CodeProtection: EnumerableFlag {
    package static func name(for value: CodeProtection) -> NameSpecification {
        switch value {
        case .pkce: .customLong("pkce")
        case .pkceOrNonce: .customLong("pkce-or-nonce")
        case .none: .customLong("no-pkce")
        }
    }

    package static func help(for value: CodeProtection) -> ArgumentHelp? {
        switch value {
        case .pkce: "It must use PKCE."
        case .pkceOrNonce: "It must use PKCE, or a nonce with scope openid."
        case .none: "It does not have to use either."
        }
    }
}

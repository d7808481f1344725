import PorticoAdministration
import ArgumentParser
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

/// The kind of a new client: what its options default to.
enum ClientTemplate: String, CaseIterable, ExpressibleByArgument {
    /// An app on a phone, tablet or desktop (RFC 8252).
    case native
    /// A command-line program: redirects to a loopback port of any number.
    case cli
    /// Scripts in a browser.
    case spa
    /// A server with pages of its own.
    case web
    /// A server that acts for itself.
    case service
    /// A server that meets the FAPI 2.0 Security Profile: it proves itself by a key, pushes its requests,
    /// and has its tokens bound to a key.
    case fapi2
    /// An app that was written for Keycloak: its tokens have what mappers write, and it is treated as that
    /// server would. With a type and a grant type of its own, a server.
    case keycloak

    func client(id: String, realmID: String, clientID: String) -> Client {
        let isPublic = [.native, .cli, .spa, .keycloak].contains(self)
        var client = Client(
            id: id,
            realmID: realmID,
            clientID: clientID,
            name: clientID,
            type: isPublic ? .public : .confidential,
            authentication: isPublic ? .none : .clientSecretBasic
        )
        client.defaultScopes = StandardScopes.defaults
        client.optionalScopes = StandardScopes.optionals
        // What every OpenID Connect client understands (Registration §2, the default of
        // `id_token_signed_response_alg`); apps are written with a library that knows more.
        client.idTokenAlgorithm = self == .web ? .rs256 : .es256
        client.accessTokenAlgorithm = .es256
        // RFC 8252 §8.12: an app cannot look at the browser's session, and people do not expect to be
        // signed out of it with that.
        if self == .native || self == .cli { client.staySignedIn = .realm }
        switch self {
        case .native, .spa: break
        // RFC 9700 §2.1.1 leaves the choice to confidential clients of OpenID Connect.
        case .web: client.codeProtection = .pkceOrNonce
        case .cli:
            client.redirectURIs = Self.loopback(path: "/callback")
            client.postLogoutRedirectURIs = Self.loopback(path: Self.signedOutPath)
        case .service: client.grantTypes = [.clientCredentials]
        case .fapi2:
            client.authentication = .privateKeyJWT
            client.requiresPushedRequests = true
            client.dpopBoundAccessTokens = true
        case .keycloak:
            client.tokenForm = .mapped
            client.redirectRule = .patterns
            client.compatibility = Compatibility.imported
            client.idTokenAlgorithm = nil
            client.accessTokenAlgorithm = nil
            client.accessTokenType = .jwt
        }
        return client
    }

    /// Where the browser comes back to after signing out.
    static let signedOutPath = "/signed-out"

    /// Both families, any port (RFC 8252 §7.3).
    static func loopback(path: String) -> [RedirectURI] {
        ["http://127.0.0.1", "http://[::1]"].map { RedirectURI($0 + path) }
    }
}

import HTTPTypes
import Hummingbird
import PorticoStores
import PorticoWeb

/// Which scripts of other origins may read an answer (RFC 9700 §2.6, OpenID Connect Core §5.3):
/// anybody's the metadata and keys, those of registered origins what tokens open, nobody's the
/// pages.
struct CrossOriginRules: Sendable {
    private let policy: CORSPolicy?
    private let methods: [HTTPRequest.Method]

    init(_ route: ProviderRoute, _ realm: LiveRealm) {
        methods = route.methods
        switch route {
        case .openIDConfiguration, .authorizationServerMetadata, .keySet:
            policy = .anyone
        case .token, .userInfo, .revocation:
            policy = realm.clientOrigins
        case .authorization, .introspection, .pushedAuthorization, .endSession, .confirmSignOut,
            .authenticate, .consent, .selectAccount, .restart, .verifyEmail, .resetCredentials,
            .newPassword, .account, .apps, .devices, .accountSignIn:
            policy = nil
        }
    }

    func preflight(_ request: Request, _ headers: SecurityHeaders) -> Response? {
        policy.map { policy in
            Response(
                empty: .noContent,
                headers: headers,
                adding: policy.preflight(for: request.headers, methods: methods)
            )
        }
    }

    func add(to response: inout Response, _ request: Request) {
        if let policy { response.headers.append(contentsOf: policy.headers(for: request.headers)) }
    }
}

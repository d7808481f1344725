import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Exchanges a token for another one (RFC 8693 §2).
struct TokenExchangeGrant: TokenGrant {
    static let type = GrantType.tokenExchange.rawValue

    let provider: Provider

    /// What a client is registered for is with which others it exchanges.
    func admits(_ client: AuthenticatedClient, in realm: LiveRealm) -> Bool { true }

    func callAsFunction(_ request: TokenRequest) async throws -> JSONObject {
        let exchange = try TokenExchange(request.form, scope: try request.scope)
        return switch exchange.requestedType {
        case .loginToken: try await LoginTokenGrant(provider: provider)(exchange, request)
        default: try await NativeSSOGrant(provider: provider)(exchange, request)
        }
    }
}

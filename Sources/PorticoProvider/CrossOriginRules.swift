import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoStores
import PorticoWeb

/// Which scripts of other origins may read an answer (RFC 9700 §2.6, OpenID Connect Core §5.3):
/// anybody's the metadata and keys, nobody's the pages; what a client gets, those of the origins that
/// this client has registered.
struct CrossOriginRules: Sendable {
    private enum Readers {
        case anyone
        /// Of the client that asks. Where none has proven itself, of the realm's clients: such an answer
        /// says nothing of any of them.
        case clients
        /// The same, at an address that answers people too: a page is for nobody's script.
        case knownClients
        case nobody
    }

    private let readers: Readers
    private let methods: [HTTPRequest.Method]

    init(_ route: ProviderRoute) {
        switch route {
        case .openIDConfiguration, .authorizationServerMetadata, .keySet: readers = .anyone
        case .token, .userInfo, .revocation: readers = .clients
        case .endSession: readers = .knownClients
        case .authorization, .introspection, .pushedAuthorization, .confirmSignOut,
            .authenticate, .consent, .selectAccount, .restart, .verifyEmail, .resetCredentials,
            .newPassword, .account, .apps, .devices, .accountSignIn:
            readers = .nobody
        }
        methods = route == .endSession ? [.post] : route.methods
    }

    /// The answer to a preflight, which names no client: it admits what some client's scripts may do.
    func preflight(_ visit: RealmVisit, _ headers: SecurityHeaders) -> Response? {
        let policy: CORSPolicy? =
            switch readers {
            case .anyone: .anyone
            case .clients, .knownClients: visit.realm.clientOrigins
            case .nobody: nil
            }
        return policy.map { policy in
            Response(
                empty: .noContent,
                headers: headers,
                adding: policy.preflight(for: visit.request.headers, methods: methods)
            )
        }
    }

    func add(to response: inout Response, _ visit: RealmVisit) {
        guard let policy = policy(visit) else { return }
        response.headers.append(contentsOf: policy.headers(for: visit.request.headers))
    }

    private func policy(_ visit: RealmVisit) -> CORSPolicy? {
        let named = visit.asking.client.map { CORSPolicy.origins(Set($0.webOrigins)) }
        return switch readers {
        case .anyone: .anyone
        case .clients: named ?? visit.realm.clientOrigins
        case .knownClients: named
        case .nobody: nil
        }
    }
}

/// The client that asks, once it has proven itself, or has nothing to prove. It says whose scripts may
/// read the answer, an error's too.
final class AskingClient: Sendable {
    private let noted = Locked<Client?>(nil)

    var client: Client? { noted.withLock { $0 } }

    func note(_ client: Client?) {
        noted.withLock { $0 = client }
    }
}

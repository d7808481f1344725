import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a client gets with one set of scopes: the mappers that make its tokens, and the roles that it may
/// see.
struct TokenView: Sendable {
    let scopes: RealmScopes
    let client: LiveClient
    /// In the order in which they are applied.
    let mappers: [ClaimMapper]
    /// `nil`: every role.
    private let visibleRoles: Set<RoleName>?
    private let clientID: String

    /// - Parameter granted: The scopes, in their names' order.
    init(
        _ scopes: RealmScopes,
        _ client: LiveClient,
        clientID: String,
        granted: [LiveScope],
        graph: RoleGraph
    ) {
        self.scopes = scopes
        self.client = client
        self.clientID = clientID
        mappers = (client.mappers + granted.flatMap(\.mappers)).inOrder
        visibleRoles = client.limits.map {
            graph.expanded(
                $0.union(graph.containers(ofClient: clientID)).union(granted.flatMap(\.limits))
            )
        }
    }

    /// Whether the nonce is in every token, as in realms without a scope that brings it, where older
    /// adapters expect it.
    var repeatsNonce: Bool {
        !scopes.hasBasicScope || mappers.contains { $0.kind == .nonce }
    }

    /// The roles of a person that the client sees: its own always.
    func visible(_ roles: Set<RoleName>) -> Set<RoleName> {
        guard let visibleRoles else { return roles }
        return roles.filter { role in
            role.clientID.map { sameBytes($0, clientID) } ?? false || visibleRoles.contains(role)
        }
    }
}

/// The views of a realm's clients, each made once.
final class TokenViews: Sendable {
    let scopes: RealmScopes
    private let mappers: [ClaimMapper]
    private let limits: [RoleLimit.Owner: Set<RoleName>]
    private let graph: RoleGraph
    private let serverOrigin: String
    private let clients = Locked<[String: LiveClient]>([:])
    private let made = Locked<[Key: TokenView]>([:])

    private struct Key: Hashable {
        let client: String
        let scopes: [String]
    }

    /// How many of each are kept: a client has a few sets of scopes, and a realm may have many clients.
    private static let most = 4096

    init(
        of realm: Realm,
        scopes: [ClientScope],
        limits: [RoleLimit.Owner: Set<RoleName>],
        graph: RoleGraph
    ) {
        self.scopes = RealmScopes(scopes, limits: limits)
        mappers = realm.mappers
        serverOrigin = HTTPAddress(realm.issuer)?.webOrigin ?? ""
        self.limits = limits
        self.graph = graph
    }

    func live(_ client: Client) -> LiveClient {
        // Its document may change while the realm does not.
        guard !client.changesAlone else { return make(client) }
        if let made = clients.withLock({ $0[client.id] }) { return made }
        let made = make(client)
        clients.withLock { clients in
            if clients.count >= Self.most { clients.removeAll() }
            clients[client.id] = made
        }
        return made
    }

    private func make(_ client: Client) -> LiveClient {
        LiveClient(
            client,
            mappers: mappers,
            limits: limits[.client(client.id)] ?? [],
            serverOrigin: serverOrigin
        )
    }

    /// - Parameter roles: Of the person, with all that they contain. A scope that shows roles is
    ///   only for people with one of them.
    func view(of client: Client, scope: Scope, roles: Set<RoleName>) -> TokenView {
        let granted = scope.tokens.compactMap { scopes[$0] }.filter { $0.isPermitted(to: roles) }
        let key = Key(client: client.id, scopes: granted.map(\.id).sorted())
        if !client.changesAlone, let view = made.withLock({ $0[key] }) { return view }
        let view = TokenView(
            scopes,
            live(client),
            clientID: client.clientID,
            granted: granted,
            graph: graph
        )
        guard !client.changesAlone else { return view }
        made.withLock { made in
            if made.count >= Self.most { made.removeAll() }
            made[key] = view
        }
        return view
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a client of a Keycloak realm gets with one set of scopes: the mappers that make its tokens,
/// and the roles that it may see.
struct KeycloakView: Sendable {
    let realm: KeycloakRealm
    let client: KeycloakClient
    let mappers: ProtocolMappers
    /// `nil`: every role.
    private let visibleRoles: Set<RoleName>?
    private let clientID: String

    /// - Parameter scopes: Those granted, in their names' order.
    init(
        _ realm: KeycloakRealm,
        _ client: KeycloakClient,
        clientID: String,
        scopes: [KeycloakScope],
        graph: RoleGraph
    ) {
        self.realm = realm
        self.client = client
        self.clientID = clientID
        mappers = ProtocolMappers(client.mappers + scopes.flatMap(\.mappers))
        visibleRoles =
            client.hasFullScope
            ? nil
            : graph.expanded(
                client.limits.union(graph.containers(ofClient: clientID))
                    .union(scopes.flatMap(\.limits))
            )
    }

    /// Whether the nonce is in every token, as in realms from before version 25, where older adapters
    /// expect it.
    var repeatsNonce: Bool {
        !realm.hasBasicScope || mappers.mappers.contains { $0.kind == .nonce }
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
final class KeycloakViews: Sendable {
    let realm: KeycloakRealm
    private let limits: [RoleLimit.Owner: Set<RoleName>]
    private let graph: RoleGraph
    private let serverOrigin: String
    private let clients = Locked<[String: KeycloakClient]>([:])
    private let made = Locked<[Key: KeycloakView]>([:])

    private struct Key: Hashable {
        let clientID: String
        let scopes: [String]
    }

    /// How many are kept: a client has a few sets of scopes, and a realm may have many clients.
    private static let most = 4096

    init(
        _ settings: JSONObject,
        scopes: [ClientScope],
        limits: [RoleLimit.Owner: Set<RoleName>],
        graph: RoleGraph,
        issuer: String
    ) {
        realm = KeycloakRealm(settings, scopes: scopes, limits: limits)
        serverOrigin = HTTPAddress(issuer)?.webOrigin ?? ""
        self.limits = limits
        self.graph = graph
    }

    /// - Returns: `nil` for a client that did not come from Keycloak.
    func client(_ client: Client) -> KeycloakClient? {
        guard let representation = client.keycloak else { return nil }
        if let made = clients.withLock({ $0[client.id] }) { return made }
        let made = KeycloakClient(
            client,
            representation,
            limits: limits[.client(client.id)] ?? [],
            serverOrigin: serverOrigin
        )
        clients.withLock { $0[client.id] = made }
        return made
    }

    /// - Parameter roles: Of the person, with all that they contain. A scope that shows roles is
    ///   only for people with one of them.
    /// - Returns: `nil` for a client that did not come from Keycloak.
    func view(of client: Client, scope: Scope, roles: Set<RoleName>) -> KeycloakView? {
        guard let own = self.client(client) else { return nil }
        let scopes = scope.tokens.compactMap(realm.scope(named:))
            .filter { $0.isPermitted(to: roles) }
        let key = Key(clientID: client.id, scopes: scopes.map(\.id).sorted())
        if let view = made.withLock({ $0[key] }) { return view }
        let view = KeycloakView(
            realm,
            own,
            clientID: client.clientID,
            scopes: scopes,
            graph: graph
        )
        made.withLock { made in
            if made.count >= Self.most { made.removeAll() }
            made[key] = view
        }
        return view
    }
}

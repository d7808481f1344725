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

    /// What it takes, roughly.
    var bytes: Int {
        MemoryLayout<Self>.stride + MemoryLayout<ClaimMapper>.stride * mappers.count
            + 128 * (visibleRoles?.count ?? 0)
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

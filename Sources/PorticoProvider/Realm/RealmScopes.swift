import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// The client scopes of a realm, by their names.
struct RealmScopes: Sendable {
    private let scopes: [ExactText: LiveScope]
    /// Of the scopes of OpenID Connect.
    let names: [String]

    init(_ scopes: [ClientScope], limits: [RoleLimit.Owner: Set<RoleName>]) {
        names = scopes.filter(\.isOffered).map(\.name).sorted()
        self.scopes = Dictionary(
            scopes.map { scope in
                (
                    ExactText(scope.name),
                    LiveScope(scope: scope, limits: limits[.scope(scope.id)] ?? [])
                )
            }
        ) { first, _ in first }
    }

    /// Of all scopes.
    var mappers: [ClaimMapper] { scopes.values.flatMap(\.mappers) }

    /// The scope of that name; `nil` also for `openid`, which is none of them.
    subscript(name: String) -> LiveScope? { scopes[ExactText(name)] }

    /// Whether `sub` and `auth_time` are in tokens only by mappers. Realms that are older have no scope
    /// that brings them, and tokens with `session_state` and `nonce`.
    var hasBasicScope: Bool { self["basic"] != nil }

    /// Whether `acr` is in tokens only by a mapper.
    var hasACRScope: Bool { self["acr"] != nil }
}

/// A client scope of a realm.
package struct LiveScope: Sendable {
    private let scope: ClientScope
    /// The roles that it shows to a client that does not see all. If it is limited, only people with one of
    /// them get it.
    package let limits: Set<RoleName>

    init(scope: ClientScope, limits: Set<RoleName>) {
        self.scope = scope
        self.limits = limits
    }

    /// The mapper that writes a claim.
    func mapper(writing claim: String) -> ClaimMapper? {
        mappers.first { $0.ownClaim.map { sameBytes($0, claim) } ?? false }
    }

    var id: String { scope.id }
    package var mappers: [ClaimMapper] { scope.mappers }
    /// Whether `scope` of tokens and answers names it.
    var isShown: Bool { scope.isShown }
    /// Whether people are asked for it, where they are asked at all.
    var isAskedFor: Bool { scope.isAskedFor }

    /// - Parameter roles: A person's, with all that they contain.
    func isPermitted(to roles: Set<RoleName>) -> Bool {
        !scope.isLimited || !limits.isDisjoint(with: roles)
    }
}

extension ClaimMapper {
    /// The claim that it writes of the person; `nil` for part of one.
    fileprivate var ownClaim: String? {
        let names =
            if case .own(let names) = kind.traits.place { names } else { claim?.names ?? [] }
        return names.count == 1 ? names[0] : nil
    }
}

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
        !scopes.hasBasicScope || mappers.contains { $0.kind == .plain(.nonce) }
    }

    /// The roles of a person that the client sees: its own always.
    func visible(_ roles: Set<RoleName>) -> Set<RoleName> {
        guard let visibleRoles else { return roles }
        return roles.filter { role in
            role.clientID.map { sameBytes($0, clientID) } ?? false || visibleRoles.contains(role)
        }
    }
}

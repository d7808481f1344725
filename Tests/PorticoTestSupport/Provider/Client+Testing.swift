import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
package import PorticoStores

extension Client {
    /// An app, which keeps no secret.
    package static func app(
        _ clientID: String,
        _ name: String? = nil,
        id: String = UniqueID(random: .system).text,
        realmID: String
    ) -> Client {
        Client(
            id: id,
            realmID: realmID,
            clientID: clientID,
            name: name ?? clientID,
            type: .public,
            authentication: .none
        )
    }
}

extension Client {
    /// With the scopes that most new clients get.
    package mutating func takeStandardScopes() {
        defaultScopes = StandardScopes.defaults
        optionalScopes = StandardScopes.optionals
    }

    /// As one is that came from a file of Keycloak's.
    package mutating func becomeImported() {
        tokenForm = .mapped
        redirectRule = .patterns
        compatibility = Set(Compatibility.allCases).subtracting([
            .lowercaseBearer, .noIssuer, .noSessionState,
        ])
    }
}

extension [Client] {
    /// The client of that `client_id`, to be changed.
    package subscript(client clientID: String) -> Client {
        get { first { $0.clientID == clientID } ?? self[0] }
        set { self = map { $0.clientID == clientID ? newValue : $0 } }
    }
}

extension ClaimMapper {
    /// - Parameters:
    ///   - claim: Of the top level; also the mapper's name.
    ///   - isMultivalued: Roles are, where nothing is said.
    package init(
        _ kind: Kind,
        _ claim: String? = nil,
        isMultivalued: Bool? = nil,
        into targets: Targets = .usual
    ) {
        let isOfRoles =
            switch kind {
            case .realmRoles, .clientRoles: true
            default: false
            }
        self.init(
            id: UniqueID(random: .system).text,
            name: claim ?? "mapper",
            kind: kind,
            claim: claim.map { ClaimPath(names: [$0]) },
            isMultivalued: isMultivalued ?? isOfRoles,
            targets: targets
        )
    }

    /// What is kept, and written in Keycloak's words, is tried with each of them.
    package static let ofEveryKind: [ClaimMapper] = {
        let role = RoleName(clientID: "notes", name: "writer")
        let kinds: [Kind] =
            [
                .attribute("dept", aggregates: true), .property("email"),
                .realmRoles(prefix: "r_"), .clientRoles(of: "notes", prefix: ""),
                .clientRoles(of: nil, prefix: "c_"),
                .address(Kind.usualAddress.merging(["locality": "town"]) { $1 }),
                .groups(withPath: true), .audience("api"),
                .fixedClaim(["a": [1, 2.5, .null, true]]), .fixedRole(role),
                .renamedRole(role, to: RoleName(clientID: nil, name: "author")),
                .note("AUTH_TIME"), .pairwise(PairwiseSubject(salt: "s", sector: "app.example")),
                .pairwise(PairwiseSubject(salt: "s", sector: nil)),
            ] + PlainKind.allCases.map(Kind.plain)
        var mappers = kinds.map { ClaimMapper($0, "a.b", into: .all) }
        mappers[0] = ClaimMapper(kinds[0], isMultivalued: true, into: [])
        mappers[0].type = .json
        mappers[0].kept = KeptRepresentation(["a": 1])
        return mappers
    }()
}

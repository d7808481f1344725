import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A mapper of Keycloak's, read from its record: what it writes, and where.
struct ProtocolMapper: Hashable, Sendable {
    /// The longest setting that is read, in bytes; a fixed claim may be as long as any.
    static let longestSetting = 2048

    let id: String
    let name: String
    let kind: Kind
    /// `nil` where the kind decides itself what it writes.
    let claim: ClaimPath?
    let type: ClaimType
    let isMultivalued: Bool
    let targets: Set<MapperTarget>

    /// What a mapper writes. The comments name Keycloak's kinds.
    enum Kind: Hashable, Sendable {
        /// `oidc-usermodel-attribute-mapper`
        case attribute(String, aggregates: Bool)
        /// `oidc-usermodel-property-mapper`
        case property(String)
        /// `oidc-usermodel-realm-role-mapper`
        case realmRoles(prefix: String)
        /// `oidc-usermodel-client-role-mapper`: one client's roles, or every client's.
        case clientRoles(of: String?, prefix: String)
        /// `oidc-full-name-mapper`
        case fullName
        /// `oidc-address-mapper`: the person's attribute for each member (OpenID Connect Core
        /// §5.1.1).
        case address([String: String])
        /// `oidc-group-membership-mapper`
        case groups(withPath: Bool)
        /// `oidc-audience-mapper`
        case audience(String)
        /// `oidc-audience-resolve-mapper`: the other clients of which the person has a role.
        case audienceResolve
        /// `oidc-hardcoded-claim-mapper`
        case fixedClaim(JSONValue)
        /// `oidc-hardcoded-role-mapper`
        case fixedRole(RoleName)
        /// `oidc-role-name-mapper`
        case renamedRole(RoleName, to: RoleName)
        /// `oidc-usersessionmodel-note-mapper`
        case note(String)
        /// `oidc-allowed-origins-mapper`
        case allowedOrigins
        /// `oidc-acr-mapper`
        case acr
        /// `oidc-amr-mapper`
        case amr
        /// `oidc-sub-mapper`
        case sub
        /// `oidc-sha256-pairwise-sub-mapper`
        case pairwise(PairwiseSubject)
        /// `oidc-session-state-mapper`
        case sessionState
        /// `oidc-nonce-backwards-compatible-mapper`
        case nonce
        /// `oidc-claims-param-token-mapper`: the essential ones of the parameter `claims`.
        case claimsParameter
        /// `oidc-claims-param-value-idtoken-mapper`: the value that the parameter `claims` gives.
        case claimsParameterValue
    }

    /// Lower ones run first (Keycloak `ProtocolMapperUtils`): roles are renamed and added before
    /// anything is made of them, whatever the order in the file.
    var priority: Int {
        switch kind {
        case .sub: -10
        case .renamedRole: 10
        case .fixedRole: 20
        case .audienceResolve: 30
        case .realmRoles, .clientRoles: 40
        default: 0
        }
    }
}

extension ProtocolMapper.Kind {
    /// Whether the value is a text that the person, or the sender of the request, may have chosen.
    var isChosenByPerson: Bool {
        switch self {
        case .attribute, .property, .note, .claimsParameterValue: true
        default: false
        }
    }

    /// The targets that the kind has in Keycloak, whatever its switches say.
    var possibleTargets: Set<MapperTarget> {
        switch self {
        case .fixedClaim: MapperTarget.tokens.union([.tokenResponse])
        case .audience, .acr: MapperTarget.tokens.subtracting([.userInfo])
        case .amr: [.accessToken, .lightweightAccessToken, .idToken]
        case .sub, .audienceResolve, .allowedOrigins, .nonce:
            [.accessToken, .lightweightAccessToken, .introspection]
        case .claimsParameter: [.idToken, .userInfo]
        case .claimsParameterValue: [.idToken]
        default: MapperTarget.tokens
        }
    }
}

/// The mappers of one request: of the client, and of the scopes that it has.
struct ProtocolMappers: Sendable {
    /// By priority, then by name and id, so that the same mappers always give the same token.
    let mappers: [ProtocolMapper]
    /// Those that are not evaluated, and why.
    let refused: [(record: ProtocolMapperRecord, error: ProtocolMapperError)]

    init(_ records: some Sequence<ProtocolMapperRecord>) {
        var mappers: [ProtocolMapper] = []
        var refused: [(record: ProtocolMapperRecord, error: ProtocolMapperError)] = []
        for record in records {
            do throws(ProtocolMapperError) {
                mappers.append(try ProtocolMapper(record))
            } catch {
                refused.append((record, error))
            }
        }
        self.mappers = mappers.sorted {
            guard $0.priority == $1.priority else { return $0.priority < $1.priority }
            guard sameBytes($0.name, $1.name) else {
                return $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }
            return $0.id.utf8.lexicographicallyPrecedes($1.id.utf8)
        }
        self.refused = refused
    }
}

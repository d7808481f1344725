import PorticoBytes
import PorticoStores

extension ClaimMapper {
    /// Lower ones run first: roles are renamed and added before anything is made of them, whatever the
    /// order in which they were given.
    fileprivate var priority: Int {
        switch kind {
        case .sub: -10
        case .renamedRole: 10
        case .fixedRole: 20
        case .audienceResolve: 30
        case .realmRoles, .clientRoles: 40
        default: 0
        }
    }

    /// A fixed claim `aud` adds an audience.
    static func addsAudience(_ kind: Kind, _ claim: ClaimPath?) -> Bool {
        guard case .fixedClaim = kind, let claim else { return false }
        return claim.names == ["aud"]
    }
}

extension [ClaimMapper] {
    /// By priority, then by name and id, so that the same mappers always give the same token.
    var inOrder: [ClaimMapper] {
        sorted {
            guard $0.priority == $1.priority else { return $0.priority < $1.priority }
            guard sameBytes($0.name, $1.name) else {
                return $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }
            return $0.id.utf8.lexicographicallyPrecedes($1.id.utf8)
        }
    }
}

import PorticoAdministration
package import PorticoBytes
import PorticoProtocol
package import PorticoProvider
package import PorticoStores

/// Tells tokens of those who may make realms from others at a glance, before a long body of theirs is
/// read. Whether a token counts is for ``AdminAccess`` to say.
package struct AdminTokens: Sendable {
    private let realms: RealmDirectory
    private let bearer: BearerReader
    private let clock: Clock

    package init(realms: RealmDirectory, grants: GrantStore, clock: Clock) {
        self.realms = realms
        bearer = BearerReader(grants: grants)
        self.clock = clock
    }

    /// - Parameter authorization: The header, of either scheme.
    @Sendable package func mayMakeRealms(_ authorization: String) -> Bool {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.count <= 6,
            parts[1].utf8.count <= JWS.standardLimit,
            ["bearer", "dpop"].contains(parts[0].lowercased()),
            let master = realms.kept(named: AdminRights.master)
        else { return false }
        return bearer.isSigned(String(parts[1]), by: master, at: clock.moment())
    }
}

import PorticoPages
import PorticoProtocol
import PorticoStores

/// The authorization request that somebody came from, to be started again afterwards. It opens in
/// whichever browser asks, as a restart does, and for as long.
struct WayBack: Sendable {
    let sealed: String
    let flow: AuthorizationFlow

    init?(_ sealed: String?, _ flow: BrowserFlow, _ visit: RealmVisit) {
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard let sealed, let begun = seal.open(sealed, at: visit.moment) else { return nil }
        self.sealed = sealed
        self.flow = begun
    }

    func restart(_ visit: RealmVisit) -> PageLink? {
        PageLink(path: RealmURLs.restart(sealed, realmName: visit.realm.realm.name))
    }
}

extension RealmVisit {
    /// The same visit in the language that the request asked for which somebody came from.
    func speaking(_ wayBack: WayBack?) throws -> RealmVisit {
        guard let wayBack else { return self }
        var copy = self
        copy.visit = visit.speaking(try FormParameters(decoding: wayBack.flow.parameters))
        return copy
    }
}

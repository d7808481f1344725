import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The authorization request that a person came from, to be restarted afterwards. It opens in any
/// browser, like a restart, and for as long.
struct ResumableRequest: Sendable {
    let sealed: String
    let flow: AuthorizationFlow

    init(sealed: String, flow: AuthorizationFlow) {
        self.sealed = sealed
        self.flow = flow
    }

    init?(_ sealed: String?, _ flow: BrowserFlow, _ context: RealmContext) {
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        guard let sealed, let begun = seal.open(sealed, at: context.moment) else { return nil }
        self.sealed = sealed
        self.flow = begun
    }

    func restart(_ context: RealmContext) -> PageLink? {
        PageLink(path: RealmURLs.restart(sealed, realmName: context.realm.name))
    }
}

extension RealmContext {
    /// The same context, in the language requested by the authorization request that the person
    /// came from.
    func speaking(_ back: ResumableRequest?) throws -> RealmContext {
        guard let back else { return self }
        var copy = self
        copy.speak(try FormParameters(decoding: back.flow.parameters))
        return copy
    }
}

import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A form or address came back without its authorization request.
struct LostRequest: Refusal {
    enum Reason: Sendable {
        /// The browser does not keep cookies.
        case noCookie
        /// From another browser, or not one of ours.
        case unmatched
        case tookTooLong
    }

    private let lost: Reason
    /// Restarts the same request, if it can be read.
    private let restart: PageLink?

    init(_ reason: Reason, restart: PageLink?) {
        lost = reason
        self.restart = restart
    }

    /// Whether the browser is known to keep cookies, or had time to lose them.
    var keepsCookies: Bool { lost != .noCookie }

    var name: String { "flow_lost" }

    var status: HTTPResponse.Status {
        switch lost {
        case .noCookie, .unmatched: .forbidden
        case .tookTooLong: .badRequest
        }
    }

    func page(at moment: Moment) -> any Page {
        switch lost {
        case .noCookie: CookiesBlockedPage(restart: restart)
        case .unmatched: ExpiredPage(reason: .unmatched, restart: restart)
        case .tookTooLong:
            ExpiredPage(
                reason: .tookTooLong(minutes: Int(AuthorizationFlow.patience / 60)),
                restart: restart
            )
        }
    }
}

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

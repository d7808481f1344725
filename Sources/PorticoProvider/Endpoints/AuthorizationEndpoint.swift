import Hummingbird
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/auth` (RFC 6749 §3.1, OpenID Connect Core §3.1.2.1).
struct AuthorizationEndpoint: Sendable {
    let flow: BrowserFlow

    /// Writes nothing: a code is a seal, and a page carries its request (docs/decisions/0034).
    func callAsFunction(_ visit: RealmVisit) async throws -> Response {
        let form = try await visit.visit.parameters()
        var visit = visit
        visit.visit = visit.visit.speaking(form)
        if flow.isForeignPost(visit) { return try await comeBack(form, visit) }
        let browser = VisitCookie(visit, flow)
        let (begun, proven) = try await flow.requests.begin(
            form,
            in: visit.realm,
            browser: Hash256(of: browser.value),
            at: visit.moment
        )
        return try await flow.next(
            proven,
            begun,
            session: try await flow.session(visit),
            browser: browser.value,
            cookies: try browser.setting(),
            visit
        )
    }

    /// A page of the client posts the request (OpenID Connect Core §3.1.2.1): the browser keeps its
    /// cookies back, and shall not lose those that other tabs need. It is sent to get the same request
    /// from here, and brings them.
    private func comeBack(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        let (begun, proven) = try await flow.requests.begin(
            form,
            in: visit.realm,
            browser: Hash256(of: ""),
            at: visit.moment
        )
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        let sealed: String
        do {
            sealed = try seal.seal(begun, at: visit.moment)
        } catch {
            throw AuthorizationRefusal.redirect(error, proven.target)
        }
        return try flow.redirect(
            to: RealmURLs.restart(sealed, realmName: visit.realm.realm.name)
        )
    }

    /// `GET …/restart`: the same request from the beginning, in whichever browser asks.
    func restart(_ visit: RealmVisit) async throws -> Response {
        let form = try FormParameters(query: visit.visit.target)
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard let sealed = form["request"], let old = seal.open(sealed, at: visit.moment) else {
            throw FlowLoss(.unmatched, restart: nil)
        }
        let browser = VisitCookie(visit, flow)
        let begun = AuthorizationFlow(
            // A pushed request is answered once, however often it is started.
            requestID: old.isPushed ? old.requestID : visit.moment.id(),
            parameters: old.parameters,
            browser: Hash256(of: browser.value),
            startedAt: visit.now,
            isPushed: old.isPushed
        )
        let proven = try await flow.requests.resume(begun, in: visit.realm, at: visit.moment)
        var visit = visit
        visit.visit = visit.visit.speaking(try FormParameters(decoding: old.parameters))
        return try await flow.next(
            proven,
            begun,
            session: try await flow.session(visit),
            browser: browser.value,
            cookies: try browser.setting(),
            visit
        )
    }
}

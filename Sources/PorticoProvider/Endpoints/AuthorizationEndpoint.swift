import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/auth` (RFC 6749 §3.1, OpenID Connect Core §3.1.2.1).
struct AuthorizationEndpoint: Sendable {
    let flow: BrowserFlow

    /// Writes nothing: a code is a seal, and a page carries its request (docs/decisions/0034).
    func begin(_ context: RealmContext) async throws -> Response {
        let form = try context.parameters()
        var context = context
        context.speak(form)
        if flow.isForeignPost(context) { return try await comeBack(form, context) }
        let browser = try flow.browser(context)
        let (begun, proven) = try await flow.requests.begin(
            form,
            in: context.realm,
            browser: Hash256(of: browser.value),
            at: context.moment
        )
        return try await flow.next(
            proven,
            begun,
            session: try await flow.session(context),
            browser: browser.value,
            cookies: browser.cookies,
            context
        )
    }

    /// A page of the client posts the request (OpenID Connect Core §3.1.2.1): the browser withholds
    /// its cookies, and must not lose those that other tabs need. It is redirected to fetch the
    /// same request from our origin, with its cookies.
    private func comeBack(_ form: FormParameters, _ context: RealmContext) async throws -> Response
    {
        let (begun, proven) = try await flow.requests.begin(
            form,
            in: context.realm,
            browser: Hash256(of: ""),
            at: context.moment
        )
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        let sealed: String
        do {
            sealed = try seal.seal(begun, at: context.moment)
        } catch {
            throw AuthorizationRefusal.redirect(error, proven.target)
        }
        return try flow.redirect(
            to: RealmURLs.restart(sealed, realmName: context.realm.name)
        )
    }

    /// `GET …/restart`: the same request from the beginning, in any browser.
    func restart(_ context: RealmContext) async throws -> Response {
        let form = try FormParameters(query: context.target)
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        guard let sealed = form["request"], let old = seal.open(sealed, at: context.moment) else {
            throw LostRequest(.unmatched, restart: nil)
        }
        let browser = try flow.browser(context)
        let begun = AuthorizationFlow(
            // A pushed request is answered once, however often it is restarted.
            requestID: old.isPushed ? old.requestID : context.moment.id(),
            parameters: old.parameters,
            browser: Hash256(of: browser.value),
            startedAt: context.now,
            isPushed: old.isPushed
        )
        let proven = try await flow.requests.resume(begun, in: context.realm, at: context.moment)
        var context = context
        context.speak(try FormParameters(decoding: old.parameters))
        return try await flow.next(
            proven,
            begun,
            session: try await flow.session(context),
            browser: browser.value,
            cookies: browser.cookies,
            context
        )
    }
}

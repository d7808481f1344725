import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET …/login-actions/signed-in`: what a person wanted goes on when they come back from signing in
/// elsewhere. The session that they bring is the browser's, as after any other sign-in.
struct SignedInElsewhereEndpoint: Sendable {
    let flow: BrowserFlow
    let second: SecondStep

    func get(_ context: RealmContext) async throws -> Response {
        let query = try FormParameters(query: context.target)
        guard query["page"] == nil else {
            return try await toAccount(AccountPlace(named: query["page"]), query, context)
        }
        return try await toApp(query["request"], context)
    }

    /// An authorization request goes on.
    ///
    /// - Throws: ``LostRequest`` if it is not of this browser.
    private func toApp(_ sealed: String?, _ context: RealmContext) async throws -> Response {
        var begun = try await flow.flow(sealed, context)
        let proven = try await flow.requests.resume(
            begun,
            in: context.realm,
            from: context.sender,
            at: context.moment
        )
        var context = context
        context.speak(try FormParameters(decoding: begun.parameters))
        let purpose = AppSignIn(proven: proven, begun: begun)
        let session = try await flow.session(context)
        let first = session == nil ? try await flow.firstStep(context) : nil
        if let live = session ?? first, purpose.asksAnew, isSince(begun, live),
            let proof = flow.proof(
                of: live,
                returningTo: try purpose.path(flow, context),
                context
            )
        {
            return try flow.redirect(to: proof)
        }
        if let first, !purpose.asksAnew || isSince(begun, first),
            let page = try await second.ask(first, for: purpose, context)
        {
            return page
        }
        if let session {
            // What goes on is the browser's session.
            begun.handedOn = nil
            if isSince(begun, session) { begun.authenticatedSession = session.session.id }
        }
        let browser = try flow.browser(context)
        return try await flow.next(
            proven,
            begun,
            session: session,
            browser: browser.value,
            cookies: browser.cookies,
            context
        )
    }

    /// A sign-in before the request is no answer to one that asks for a new one.
    private func isSince(_ begun: AuthorizationFlow, _ live: LiveSession) -> Bool {
        live.session.authenticatedAt >= begun.startedAt
    }

    /// A page of the person's own account comes.
    private func toAccount(
        _ place: AccountPlace,
        _ query: FormParameters,
        _ context: RealmContext
    ) async throws -> Response {
        let waiting = ResumableRequest(query["waiting"], flow, context)
        if try await flow.session(context) == nil, let first = try await flow.firstStep(context) {
            let purpose = AccountSignIn(place, waiting: waiting?.sealed, context)
            if let page = try await second.ask(first, for: purpose, context) { return page }
        }
        return try flow.redirect(to: place.path(context, bringing: waiting))
    }
}

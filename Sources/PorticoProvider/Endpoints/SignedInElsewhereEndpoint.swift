import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// `GET …/login-actions/signed-in`: what a person wanted goes on when they come back from signing in
/// elsewhere. The session that they bring is the browser's, as after any other sign-in.
struct SignedInElsewhereEndpoint: Sendable {
    let flow: BrowserFlow
    let second: SecondStep

    func get(_ context: RealmContext) async throws -> Response {
        let query = try FormParameters(query: context.target)
        guard query["page"] == nil, query["return_to"] == nil else {
            return try await toAccount(AccountPlace(named: query["page"]), query, context)
        }
        return try await toApp(query["request"], query, context)
    }

    /// Why the person comes back without having signed in; `nil` where they have.
    private func failure(_ query: FormParameters, _ context: RealmContext)
        -> ChooseMethodPage.Problem?
    {
        query["error"].map { error in
            ChooseMethodPage.Problem(
                error: error,
                reason: query["reason"],
                provider: flow.elsewhere
                    .methods(context.realm.id, context.realm.name, context.headers)
                    .first { sameBytes($0.name, query["provider"] ?? "") }?.label
            )
        }
    }

    /// An authorization request goes on.
    ///
    /// - Throws: ``LostRequest`` if it is not of this browser.
    private func toApp(
        _ sealed: String?,
        _ query: FormParameters,
        _ context: RealmContext
    ) async throws -> Response {
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
        if let failure = failure(query, context) {
            return try flow.signInPage(
                for: purpose,
                userName: proven.suggestedUserName,
                failure: failure,
                in: flow.browser(context),
                context
            )
        }
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
        let purpose = AccountSignIn(
            place,
            waiting: waiting?.sealed,
            returnTo: flow.webPage(query["return_to"], context),
            isAskedAnew: query["prompt"] == "login",
            context
        )
        let session = try await flow.session(context)
        if session == nil, let first = try await flow.firstStep(context),
            let page = try await second.ask(first, for: purpose, context)
        {
            return page
        }
        let failure = failure(query, context)
        // Who proves that it is them is named; who wants another account is not.
        let isWanted = ["login", "select_account"].contains(query["prompt"])
        let again = query["prompt"] == "login" ? session?.person : nil
        let isProven = session.map { $0.session.isProven($0.person, at: context.now) } ?? false
        let isThere = session != nil || place.isOfRealm
        guard failure == nil, !isWanted, isThere, place != .joining || isProven else {
            return try flow.signInPage(
                for: purpose,
                userName: again.map { $0.email ?? $0.username } ?? "",
                again: again != nil,
                failure: failure,
                in: flow.browser(context),
                context
            )
        }
        return try flow.redirect(to: purpose.destination(flow, context))
    }
}

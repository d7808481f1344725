import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/logout` (OpenID Connect RP-Initiated Logout §2; docs/decisions/0018).
struct EndSessionEndpoint: Sendable {
    let flow: BrowserFlow
    let legacy: LegacySignOut
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    func begin(_ context: RealmContext) async throws -> Response {
        let form = try context.parameters()
        if context.method == .post, form.contains("refresh_token") {
            do {
                return try await legacy(form, context)
            } catch {
                throw ProgramRefusal(error: error)
            }
        }
        if flow.isForeignPost(context) { return try await comeBack(form, context) }
        if let carried = carried(by: form, context) {
            return try await signOut(carried, context)
        }
        return try await signOut(form, isCarried: false, context)
    }

    private func signOut(_ carried: CarriedSignOut, _ context: RealmContext) async throws
        -> Response
    {
        try await signOut(carried.parameters, isCarried: carried.isRead, context)
    }

    /// - Parameter isCarried: Whether the parameters were read before (``CarriedSignOut/isRead``).
    private func signOut(
        _ form: FormParameters,
        isCarried: Bool,
        _ context: RealmContext
    ) async throws -> Response {
        var context = context
        context.speak(form)
        let live = try await flow.session(context)
        var mine = live
        if mine == nil { mine = try await flow.openSession(context) }
        let request: SignOutRequest
        do {
            request = try await SignOutRequest(
                form,
                of: context.realm,
                isCarried: isCarried,
                at: context.moment
            )
        } catch let error as SignOutRefusal {
            guard let mine else { throw try await leading(on: error, form, context) }
            return try await stillSignedIn(
                mine,
                live.map { PageAccount($0.person) },
                error,
                context
            )
        }
        if let session = mine {
            // §2, §6: no hint, or one for a session other than this browser's.
            guard let hint = request.hint, hint.sessionID == session.session.id else {
                let account = live.map { PageAccount($0.person) }
                return try ask(request, .here(session.session.id, account), context)
            }
            return leave(request, try await end(hint.sessionID, context), context)
        }
        guard let hint = request.hint else {
            // An app whose session is over waits for the redirect.
            if request.client?.compatibility.contains(.signOutRedirect) == true,
                request.location != nil
            {
                return leave(request, .wasNotSignedIn, context)
            }
            guard !context.isUnseen else {
                throw ProgramRefusal(
                    error: OAuthError(
                        .invalidRequest,
                        "id_token_hint is missing, and there is no browser's session: no one is signed out."
                    )
                )
            }
            return done(request, .wasNotSignedIn, context)
        }
        // The hint does not prove that the person is present (§2), unless the realm's apps rely on
        // it.
        if context.realm.signsOutByHintAlone {
            return leave(request, try await end(hint.sessionID, context), context)
        }
        guard let elsewhere = try await session(of: hint, context) else {
            return leave(request, .wasNotSignedIn, context)
        }
        // No one would read the question, and who asks would take the page for a yes.
        guard !context.isUnseen else {
            throw ProgramRefusal(
                error: OAuthError(
                    .interactionRequired,
                    "id_token_hint alone signs no one out here: the person has to confirm it in their browser."
                )
            )
        }
        return try ask(request, .elsewhere(elsewhere), context)
    }

    /// A person who is signed in nowhere here, and whose request is refused, goes on to the client, if it
    /// is known where, or to their account.
    private func leading(
        on refusal: SignOutRefusal,
        _ form: FormParameters,
        _ context: RealmContext
    ) async throws -> SignOutRefusal {
        var refusal = refusal
        let account = PageLink(path: context.path(.apps))
        (refusal.wayOn, refusal.client) = try await SignOutRequest.wayOn(form, in: context.realm)
        if refusal.wayOn == nil {
            (refusal.wayOn, refusal.client) = (account, context.realm.displayName)
        }
        return refusal
    }

    /// The request was refused; the person, who wanted to sign out, may do so on this page, without
    /// a redirect afterwards.
    private func stillSignedIn(
        _ session: LiveSession,
        _ account: PageAccount?,
        _ refusal: SignOutRefusal,
        _ context: RealmContext
    ) async throws -> Response {
        let request = try await SignOutRequest(
            FormParameters(),
            of: context.realm,
            at: context.moment
        )
        var response = try ask(
            request,
            .here(session.session.id, account),
            trouble: .init(
                refusal.issue,
                .init(refusal.error, clientID: refusal.clientID, at: context.moment)
            ),
            context
        )
        response.status = .badRequest
        return response
    }

    /// The session that a page asks about.
    private enum Asked {
        /// This browser's session, and its account if it was used recently.
        case here(String, PageAccount?)
        /// A session without a cookie in this browser: nothing about it is shown.
        case elsewhere(String)

        var sessionID: String {
            switch self {
            case .here(let id, _), .elsewhere(let id): id
            }
        }

        var account: PageAccount? {
            if case .here(_, let account) = self { account } else { nil }
        }

        var isElsewhere: Bool {
            if case .elsewhere = self { true } else { false }
        }
    }

    /// The session named by a hint, if it has not ended: also one of the server before that has not
    /// come here yet.
    private func session(of hint: IDTokenHint, _ context: RealmContext) async throws -> String? {
        guard let id = hint.sessionID else { return nil }
        let open = try await flow.sessions.open(id: id, realmID: context.realm.id, at: context.now)
        if open != nil { return id }
        return try await mayCome(id, context) ? id : nil
    }

    /// Whether it may be a session of the server before: then its tokens can still be swapped.
    private func mayCome(_ id: String, _ context: RealmContext) async throws -> Bool {
        guard let former = context.realm.former, former.isOpen(at: context.now),
            id.utf8.count <= 255
        else { return false }
        return try await flow.sessions.mayCome(id: id, realmID: context.realm.id)
    }

    /// After a hint: redirects to the client, if it gave an address.
    private func leave(
        _ request: SignOutRequest,
        _ outcome: SignedOutPage.Outcome,
        _ context: RealmContext
    ) -> Response {
        guard let location = request.location, let redirect = Redirect(to: location) else {
            return done(request, outcome, context)
        }
        return Response(redirect, headers: flow.page.headers, cookies: forgetting(context))
    }

    /// A page of the client posts the request (§2), and the browser withholds its cookies: it is
    /// redirected to fetch the same request from our origin, sealed, so that the hint does not
    /// appear in logs.
    private func comeBack(_ form: FormParameters, _ context: RealmContext) async throws -> Response
    {
        let seal = PageSeal<CarriedSignOut>(ring: flow.ring, realmID: context.realm.id)
        let request: SignOutRequest?
        do {
            request = try await SignOutRequest(form, of: context.realm, at: context.moment)
        } catch is SignOutRefusal {
            // What is wrong is said where the browser's cookies are.
            request = nil
        }
        let sealed = seal.seal(
            request.map { CarriedSignOut($0) } ?? CarriedSignOut(refused: form),
            at: context.moment
        )
        guard sealed.utf8.count <= AuthorizationFlowSeal.maximumLength else {
            throw AuthorizationFlowSeal.tooLong
        }
        let path = context.path(.endSession)
        return try flow.redirect(to: path + "?request=" + sealed)
    }

    /// The request that ``comeBack(_:_:)`` sealed; `nil` where the form itself is one.
    private func carried(by form: FormParameters, _ context: RealmContext) -> CarriedSignOut? {
        let seal = PageSeal<CarriedSignOut>(ring: flow.ring, realmID: context.realm.id)
        guard let carried = seal.open(form["request"], at: context.moment)?.carried,
            carried.sessionID == nil
        else { return nil }
        return carried
    }

    /// `POST …/logout/logout-confirm`: the person's answer.
    func confirm(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        let seal = PageSeal<CarriedSignOut>(ring: flow.ring, realmID: context.realm.id)
        guard let (carried, isLate) = seal.open(form["request"], at: context.moment),
            let sessionID = carried.sessionID
        else {
            let again = context.path(.endSession)
            throw LostRequest(.unmatched, restart: PageLink(path: again))
        }
        // The person signed in by now is asked.
        guard try await flow.counts("sign out", form, transaction: sessionID, context), !isLate
        else { return try await signOut(carried, context) }
        var context = context
        context.speak(carried.parameters)
        let request = try await SignOutRequest(
            carried.parameters,
            of: context.realm,
            // What a page asks about was read.
            isCarried: true,
            at: context.moment
        )
        guard form["action"] == "sign-out" else {
            let page = SignedOutPage(
                outcome: .stayed,
                client: request.client?.name,
                back: request.location.flatMap { PageLink(redirect: $0) }
            )
            return flow.page(page, context)
        }
        // Another session began here since the page was shown: the person is asked about that
        // one, and its cookie stays.
        var mine = try await flow.session(context)
        if mine == nil { mine = try await flow.openSession(context) }
        if let mine, mine.session.id != sessionID {
            return try await signOut(carried, context)
        }
        _ = try await end(sessionID, context)
        return leave(request, .signedOut, context)
    }

    /// Nothing ends before the answer (§2).
    private func ask(
        _ request: SignOutRequest,
        _ asked: Asked,
        trouble: SignOutPage.Trouble? = nil,
        _ context: RealmContext
    ) throws -> Response {
        let browser = try flow.browser(context)
        let seal = PageSeal<CarriedSignOut>(ring: flow.ring, realmID: context.realm.id)
        let page = SignOutPage(
            client: request.client?.name,
            account: asked.account,
            isElsewhere: asked.isElsewhere,
            trouble: trouble,
            form: flow.forms.form(
                context.path(.confirmSignOut),
                "sign out",
                asked.sessionID,
                in: browser,
                request: seal.seal(
                    CarriedSignOut(request, sessionID: asked.sessionID),
                    at: context.moment
                )
            )
        )
        return flow.page(
            page,
            context,
            redirecting: request.redirect == nil ? .ours : .onward,
            cookies: browser.cookies
        )
    }

    /// Ends the session before the answer (§3). Its grants are not valid from then on.
    private func end(_ sessionID: String?, _ context: RealmContext) async throws
        -> SignedOutPage.Outcome
    {
        guard let sessionID else { return .wasNotSignedIn }
        let change = try await flow.sessions.end(
            id: sessionID,
            realmID: context.realm.id,
            at: context.now
        )
        guard change == .changed else {
            guard try await mayCome(sessionID, context) else { return .wasNotSignedIn }
            try await flow.sessions.endMoved(
                id: sessionID,
                realmID: context.realm.id,
                at: context.now
            )
            return .signedOut
        }
        events.note(.signedOut, context, session: sessionID)
        sessionEnded()
        return .signedOut
    }

    private func done(
        _ request: SignOutRequest,
        _ outcome: SignedOutPage.Outcome,
        _ context: RealmContext
    ) -> Response {
        let page = SignedOutPage(
            outcome: outcome,
            client: request.client?.name,
            back: request.location.flatMap { PageLink(redirect: $0) }
        )
        return flow.page(page, context, cookies: forgetting(context))
    }

    private func forgetting(_ context: RealmContext) -> [HTTPField] {
        flow.cookies(of: context).endSession(context.headers)
    }
}

extension RealmContext {
    /// Whether a program asks, whose answer no person reads: it has none of a browser's cookies, and does
    /// not ask for a page.
    fileprivate var isUnseen: Bool {
        headers[values: .cookie].isEmpty && !AcceptedMedia.isPage(headers)
    }
}

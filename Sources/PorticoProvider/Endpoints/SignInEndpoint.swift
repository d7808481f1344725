import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// Username and password: `POST …/login-actions/authenticate` for an app (OpenID Connect Core
/// §3.1.2.3), `POST …/account/sign-in` for a person's own account.
struct SignInEndpoint: Sendable {
    let flow: BrowserFlow
    let check: PasswordCheck
    let second: SecondStep
    let signIn: BrowserSignIn
    let resets: PasswordResets
    let registration: SelfRegistration
    let events: SecurityEvents

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        let begun: AuthorizationFlow
        do {
            begun = try await flow.flow(form["request"], context)
        } catch {
            guard let page = try await beginAgain(form, after: error, context) else { throw error }
            return page
        }
        try await flow.checkForm("sign-in", form, transaction: begun.id, context)
        let proven = try await flow.proven(begun, context)
        var context = context
        context.speak(try FormParameters(decoding: begun.parameters))
        return try await submit(form, for: AppSignIn(proven: proven, begun: begun), context)
    }

    /// The form replaces a page of the account; the browser is redirected to that page afterwards.
    func postForAccount(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        let place = AccountPlace(named: form["page"])
        let waiting = ResumableRequest(form["waiting"], flow, context)
        let purpose = AccountSignIn(
            place,
            waiting: waiting?.sealed,
            returnTo: flow.webPage(form["return_to"], context),
            isAskedAnew: form["prompt"] == "login",
            context
        )
        guard flow.keepsCookies(context) else {
            let path = purpose.destination(flow, context)
            throw LostRequest(.noCookie, restart: PageLink(path: path))
        }
        let counts = try await flow.counts(
            "account sign-in",
            form,
            transaction: purpose.transaction,
            context
        )
        guard counts else {
            return try again(form, for: purpose, in: flow.browser(context), context)
        }
        return try await submit(form, for: purpose, context)
    }

    /// - Parameter form: Already checked: it came from our page in this browser.
    private func submit(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        try await flow.sent(SentForm(form, context), at: context.now) { deed in
            if let answer = deed?.answer { return answer }
            if case .signedIn(let sessionID)? = deed,
                let new = try await signIn.again(sessionID, context)
            {
                return try await purpose.goOn(new, flow, context)
            }
            return try await act(on: form, for: purpose, context)
        }
    }

    private func act(
        on form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        let browser = try flow.browser(context)
        switch form["action"] {
        case "cancel": return try purpose.cancel(flow, context)
        case "switch": return try flow.signInPage(for: purpose, in: browser, context)
        case "register": return try registration.page(for: purpose, context)
        case "create":
            return try await register(
                registration.submit(form, for: purpose, context),
                form,
                for: purpose,
                context
            )
        default: break
        }
        if form["proof"] != nil { return try await secondStep(form, for: purpose, context) }
        if let way = form["way"] { return try elsewhere(way, form, for: purpose, context) }
        if form["draft"] != nil {
            return try await register(
                registration.confirm(form, for: purpose, context),
                form,
                for: purpose,
                context
            )
        }
        guard context.realm.realm.signsInWithPassword else {
            return try flow.signInPage(for: purpose, in: browser, context)
        }
        let typed = PasswordCheck.Typed(form)
        switch try await check(typed, context) {
        case .recognised(let credentials, let rehashed):
            guard flow.isCurrent(purpose.formName, form, context) else {
                // The browser may have it in its history: it proves nothing anew.
                let answer = try await goOn(credentials.person, for: purpose, context)
                return try answer ?? again(form, for: purpose, in: browser, context)
            }
            if let page = try await second.ask(credentials, rehashed, for: purpose, context) {
                return try await goOn(credentials.person, for: purpose, context) ?? page
            }
            return try await finish(
                credentials,
                rehashed,
                spending: nil,
                form,
                for: purpose,
                context
            )
        case .again(let problem):
            // A person who must authenticate again is not asked who they are.
            let person = try await flow.session(context)?.person
            return try flow.signInPage(
                for: purpose,
                userName: typed.userName,
                again: person.map { sameBytes($0.email ?? $0.username, typed.userName) } ?? false,
                problem: problem,
                in: browser,
                context
            )
        case .blocked:
            let back = purpose.back()
            return flow.page(
                ErrorPage(
                    issue: .accountBlocked,
                    client: back.map { _ in purpose.asker },
                    back: back
                ),
                context,
                status: .forbidden
            )
        }
    }

    /// The password was right, in this browser and not long ago.
    private func secondStep(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        let proven: SecondStep.Proven
        switch try await second.check(form, for: purpose, context) {
        case .proven(let both): proven = both
        case .show(let page): return page
        case .lost(let userName):
            return try flow.signInPage(
                for: purpose,
                userName: userName,
                problem: .tookTooLong,
                in: flow.browser(context),
                context
            )
        }
        let person = proven.credentials.person
        do {
            let answer: Response
            if let first = proven.first {
                guard let new = try await signIn(first, spending: proven.use, context) else {
                    return try flow.signInPage(for: purpose, in: flow.browser(context), context)
                }
                answer = try await goOn(new, form, for: purpose, context)
            } else {
                answer = try await finish(
                    proven.credentials,
                    proven.rehashed,
                    spending: proven.use,
                    form,
                    for: purpose,
                    context
                )
            }
            second.wasRight(person, context)
            return answer
        } catch is CodeSpent {
            if let answer = try await goOn(person, for: purpose, context) { return answer }
            return try await second.wasSpent(person, form, for: purpose, context)
        }
    }

    /// Sends a person to sign in elsewhere: they come back to what it is for.
    private func elsewhere(
        _ way: String,
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) throws -> Response {
        let methods = try flow.methods(for: purpose, context)
        guard let (method, path) = methods.first(where: { sameBytes($0.method.name, way) }) else {
            return try flow.signInPage(for: purpose, in: flow.browser(context), context)
        }
        let typed = PasswordCheck.Typed(form).userName
        return try flow.redirect(
            to: SignInElsewhere.address(
                of: method,
                returningTo: path,
                asksAnew: purpose.asksAnew,
                hint: EmailAddress.folded(typed) ?? ""
            )
        )
    }

    /// The answer for a person who is signed in in this browser already, in another tab, with all that was
    /// asked there; `nil` if they are not.
    private func goOn(_ person: Person, for purpose: some SignInPurpose, _ context: RealmContext)
        async throws -> Response?
    {
        guard let live = try await flow.session(context), sameBytes(live.person.id, person.id)
        else { return nil }
        return try await purpose.goOn(signedIn: live, flow, context)
    }

    private func register(
        _ outcome: SelfRegistration.Outcome,
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        switch outcome {
        case .show(let page): return page
        case .mailed(let page):
            flow.sent.note(.answered(page), of: SentForm(form, context), at: context.now)
            return page
        case .registered(let new):
            return try await goOn(new, form, for: purpose, context)
        }
    }

    /// Notes a sign-in, and goes on with what it was for.
    private func goOn(
        _ new: BrowserSignIn.Begun,
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        var new = new
        if !purpose.isJoining {
            new.cookies += flow.cookies(of: context).removalOfPending(context.headers)
        }
        let (person, session) = (new.live.person.id, new.live.session.id)
        events.note(.signedIn, context, person: person, session: session, client: purpose.clientID)
        let done = SentForm(form, context)
        flow.sent.note(.signedIn(sessionID: session), of: done, at: context.now)
        return try await purpose.goOn(new, flow, context)
    }

    /// All that is asked of the person is proven.
    private func finish(
        _ credentials: PersonCredentials,
        _ rehashed: PasswordHash?,
        spending use: CredentialUse?,
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        guard !credentials.person.requiredActions.contains(RequiredAction.updatePassword) else {
            return try await choosePassword(credentials, spending: use, form, for: purpose, context)
        }
        let new = try await signIn(credentials, rehashed, spending: use, context)
        return try await goOn(new, form, for: purpose, context)
    }

    /// What was proven opens nothing but the page for a new password.
    private func choosePassword(
        _ credentials: PersonCredentials,
        spending use: CredentialUse?,
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        let cookies = flow.cookies(of: context)
        let browser =
            cookies.reset(context.headers) ?? FormToken.cookie(random: context.moment.random)
        let path = try await resets.demand(
            of: credentials,
            spending: use,
            browser: Hash256(of: browser),
            back: try purpose.sealed(flow, context),
            context
        )
        guard let path else {
            // It is not right any more.
            return try flow.signInPage(
                for: purpose,
                userName: credentials.person.username,
                problem: .wrongPair,
                in: flow.browser(context),
                context
            )
        }
        let answer = try flow.redirect(to: path, cookies: [try cookies.setReset(browser)])
        flow.sent.note(.answered(answer), of: SentForm(form, context), at: context.now)
        return answer
    }
}

/// The sign-in page once more, for a form that does not count.
extension SignInEndpoint {
    /// A form whose cookie is gone, or was replaced by that of another tab, signs no one in. The page is
    /// shown again, with what was typed but for the password.
    ///
    /// - Returns: `nil` where the browser keeps no cookies, or cannot be known to have had the page.
    func beginAgain(
        _ form: FormParameters,
        after error: any Error,
        _ context: RealmContext
    ) async throws -> Response? {
        let browser = try flow.browser(context)
        guard let lost = error as? LostRequest, lost.keepsCookies,
            try await flow.session(context) == nil,
            let begun = flow.begunAgain(form["request"], in: browser, context)
        else { return nil }
        let proven = try await flow.requests.resume(
            begun,
            in: context.realm,
            from: context.address,
            at: context.moment
        )
        var context = context
        context.speak(try FormParameters(decoding: begun.parameters))
        return try again(form, for: AppSignIn(proven: proven, begun: begun), in: browser, context)
    }

    /// The page of a form that does not count, with what was typed but for the password.
    func again(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        in browser: FormBrowser,
        _ context: RealmContext
    ) throws -> Response {
        try flow.signInPage(
            for: purpose,
            userName: PasswordCheck.Typed(form).userName,
            problem: .tookTooLong,
            in: browser,
            context
        ).notDone
    }
}

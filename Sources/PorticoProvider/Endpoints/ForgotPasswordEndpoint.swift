import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/login-actions/reset-credentials`: requests a link for choosing a new password
/// (WEB-PW-7), and accepts the code that the link shows in another browser.
struct ForgotPasswordEndpoint: Sendable {
    let flow: BrowserFlow
    let resets: PasswordResets
    let events: SecurityEvents

    private var pages: PasswordResetPages { PasswordResetPages(flow: flow) }

    func get(_ context: RealmContext) throws -> Response {
        try resets.expectOffered(in: context.realm)
        let form = try FormParameters(query: context.target)
        let back = ResumableRequest(form["request"], flow, context)
        let typed = TypedAddressSeal(ring: flow.ring, realmID: context.realm.id)
            .open(form["name"], at: context.moment)
        return try pages.asking(
            typed ?? back?.suggestedAddress ?? "",
            back: back,
            context.speaking(back)
        )
    }

    func post(_ context: RealmContext) async throws -> Response {
        try resets.expectOffered(in: context.realm)
        let form = try context.form()
        try form.refuseRepeats()
        guard flow.keepsCookies(context) else {
            throw LostRequest(.noCookie, restart: pages.again(nil, context))
        }
        return form["action"] == "confirm"
            ? try await code(form, context) : try await ask(form, context)
    }

    private func ask(_ form: FormParameters, _ context: RealmContext) async throws -> Response {
        let back = ResumableRequest(form["request"], flow, context)
        let transaction = back?.flow.id ?? ""
        let counts = try await flow.counts(
            "forgot password",
            form,
            transaction: transaction,
            context
        )
        let context = try context.speaking(back)
        let typed = String((form["email"] ?? "").filter { !$0.isWhitespace }.prefix(255))
        guard counts else { return try pages.asking(typed, back: back, context).notDone }
        if form["action"] == "cancel" {
            let path = back?.restart(context)?.href ?? "/realms/\(context.realm.name)"
            guard let redirect = Redirect(to: path) else { throw NotOffered() }
            return Response(redirect, headers: flow.page.headers)
        }
        guard let email = EmailAddress.folded(typed) else {
            return try pages.asking(typed, isMissing: true, back: back, context)
        }
        let sent = SentForm(form, context)
        return try await flow.sent(sent, at: context.now) { deed in
            if let answer = deed?.answer { return answer }
            let answer = try await send(to: email, back, context)
            flow.sent.note(.answered(answer), of: sent, at: context.now)
            return answer
        }
    }

    private func send(to email: String, _ back: ResumableRequest?, _ context: RealmContext)
        async throws -> Response
    {
        let cookies = flow.cookies(of: context)
        // One value for each browser, so that a request in one tab does not invalidate another's.
        let browser =
            cookies.reset(context.headers) ?? FormToken.cookie(random: context.moment.random)
        let id = try await resets.ask(
            for: email,
            browser: Hash256(of: browser),
            back: back?.sealed,
            context
        )
        events.note(.passwordResetAsked, context)
        return try pages.sent(
            id,
            to: email,
            back: back,
            cookies: [try cookies.setReset(browser)],
            context
        )
    }

    private func code(_ form: FormParameters, _ context: RealmContext) async throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: context.realm.id)
        guard let id = seal.open(form["request"], .asked, at: context.moment) else {
            return pages.outcome(.expired, back: nil, context)
        }
        let counts = try await flow.counts("password code", form, transaction: id.text, context)
        guard let reading = try await resets.reading(id, context) else {
            return pages.outcome(.expired, back: nil, context)
        }
        let back = ResumableRequest(reading.reset.back, flow, context)
        let context = try context.speaking(back)
        guard flow.cookies(of: context).hasAsked(reading.reset, context.headers) else {
            throw LostRequest(.unmatched, restart: pages.again(back, context))
        }
        guard counts else {
            return try pages.sent(id, to: reading.reset.email, back: back, context).notDone
        }
        let problem: ForgotPasswordPage.CodeProblem
        let code = form["code"] ?? ""
        if code.isEmpty {
            problem = .missing
        } else {
            switch try await resets.present(code, of: id, context) {
            case .right:
                guard case .open(let reset, let person) = resets.standing(reading, context) else {
                    return pages.outcome(.expired, back: back, context)
                }
                return try pages.choosing(reset, person, context)
            case .wrong: problem = .wrong
            case .dead: problem = .tooMany
            }
        }
        return try pages.sent(id, to: reading.reset.email, problem: problem, back: back, context)
    }
}

extension ResumableRequest {
    /// `login_hint`, if it is an address (OpenID Connect Core §3.1.2.1).
    fileprivate var suggestedAddress: String? {
        // `try?`: without it the person types the address.
        let parameters = try? FormParameters(decoding: flow.parameters)
        return parameters?["login_hint"].flatMap(EmailAddress.folded)
    }
}

import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/login-actions/new-password`: the target of the link in the email (WEB-PW-7).
///
/// Opening it consumes nothing. In the browser that requested the link, the person chooses a new
/// password; in another one, they see a code to enter in the first browser.
struct NewPasswordEndpoint: Sendable {
    let flow: BrowserFlow
    let resets: PasswordResets
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    private var pages: PasswordResetPages { PasswordResetPages(flow: flow) }

    func get(_ context: RealmContext) async throws -> Response {
        let form = try FormParameters(query: context.target)
        let reading = try await resets.reading(link: form["key"], context)
        try resets.expectOffered(in: context.realm, reading)
        return try open(reading, context) { reset, person, context in
            flow.cookies(of: context).hasAsked(reset, context.headers)
                ? try pages.choosing(reset, person, context) : try pages.elsewhere(reset, context)
        }
    }

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        let seal = PasswordResetSeal(ring: flow.ring, realmID: context.realm.id)
        // A sealed request comes from a page that was shown.
        if seal.open(form["request"], .proven, at: context.moment) == nil {
            try resets.expectOffered(in: context.realm)
        }
        try form.refuseRepeats()
        guard flow.keepsCookies(context) else {
            throw LostRequest(.noCookie, restart: pages.again(nil, context))
        }
        return form["action"] == "show-code"
            ? try await showCode(form, context) : try await save(form, context)
    }

    private func save(_ form: FormParameters, _ context: RealmContext) async throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: context.realm.id)
        guard let id = seal.open(form["request"], .proven, at: context.moment) else {
            return pages.outcome(.expired, back: nil, context)
        }
        guard try await flow.counts("new password", form, transaction: id.text, context) else {
            return try open(try await resets.reading(id, context), context, choosing).notDone
        }
        return try await flow.sent(SentForm(form, context), at: context.now) { deed in
            guard case .done? = deed else { return try await save(form, id, context) }
            let reading = try await resets.reading(id, context)
            let back = ResumableRequest(reading?.reset.back, flow, context)
            let cookies = flow.cookies(of: context)
            return pages.outcome(
                .done,
                back: back,
                cookies: cookies.endSession(context.headers) + [cookies.removeReset],
                try context.speaking(back)
            )
        }
    }

    private func save(_ form: FormParameters, _ id: UniqueID, _ context: RealmContext) async throws
        -> Response
    {
        let reading = try await resets.reading(id, context)
        if let reading { try resets.expectOffered(in: context.realm, reading) }
        let (reset, person): (PasswordReset, Person)
        switch resets.standing(reading, context) {
        case .open(let open, let its): (reset, person) = (open, its)
        case .used, .expired: return try open(reading, context) { _, _, _ in throw NotOffered() }
        }
        try expectAsked(reset, context)
        let back = ResumableRequest(reset.back, flow, context)
        let context = try context.speaking(back)
        guard let password = form["password"], !password.isEmpty else {
            return try pages.choosing(reset, person, problem: .missing, context)
        }
        guard try await !resets.isOld(SecretText(password), for: reset, of: person, context) else {
            return try pages.choosing(reset, person, problem: .same, context)
        }
        let outcome: PasswordResetOutcome
        do {
            outcome = try await resets.finish(
                reset,
                of: person,
                with: SecretText(password),
                context
            )
        } catch let refusal as PasswordPolicy.Refusal {
            return try pages.choosing(reset, person, problem: .init(refusal), context)
        }
        switch outcome {
        case .changed: break
        case .used: return pages.outcome(.used, back: back, context)
        case .expired: return pages.outcome(.expired, back: back, context)
        }
        events.note(.passwordReset, context, person: person.id)
        sessionEnded()
        flow.sent.note(.done, of: SentForm(form, context), at: context.now)
        let cookies = flow.cookies(of: context)
        return pages.outcome(
            .done,
            back: back,
            cookies: cookies.endSession(context.headers) + [cookies.removeReset],
            context
        )
    }

    /// The page for the new password, in the browser that requested the link.
    private func choosing(_ reset: PasswordReset, _ person: Person, _ context: RealmContext) throws
        -> Response
    {
        try expectAsked(reset, context)
        return try pages.choosing(reset, person, context)
    }

    private func expectAsked(_ reset: PasswordReset, _ context: RealmContext) throws(LostRequest) {
        guard flow.cookies(of: context).hasAsked(reset, context.headers) else {
            throw LostRequest(.unmatched, restart: pages.again(nil, context))
        }
    }

    private func showCode(_ form: FormParameters, _ context: RealmContext) async throws -> Response
    {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: context.realm.id)
        guard let id = seal.open(form["request"], .elsewhere, at: context.moment) else {
            return pages.outcome(.expired, back: nil, context)
        }
        let counts = try await flow.counts(
            "password elsewhere",
            form,
            transaction: id.text,
            context
        )
        let reading = try await resets.reading(id, context)
        try resets.expectOffered(in: context.realm)
        guard counts else {
            let page = try open(reading, context) { reset, _, context in
                try pages.elsewhere(reset, context)
            }
            return page.notDone
        }
        guard case .open(let reset, _) = resets.standing(reading, context),
            let made = try await resets.code(for: reset, context)
        else { return try open(reading, context) { _, _, _ in throw NotOffered() } }
        return pages.code(made.code, seconds: made.seconds, context)
    }

    /// The page for a reset: `body` if it is open, otherwise that it is over.
    private func open(
        _ reading: PasswordResetReading?,
        _ context: RealmContext,
        _ body: (PasswordReset, Person, RealmContext) throws -> Response
    ) throws -> Response {
        let back = ResumableRequest(reading?.reset.back, flow, context)
        let context = try context.speaking(back)
        switch resets.standing(reading, context) {
        case .open(let reset, let person): return try body(reset, person, context)
        case .used: return pages.outcome(.used, back: back, context)
        case .expired: return pages.outcome(.expired, back: back, context)
        }
    }
}

extension NewPasswordPage.Problem {
    init(_ refusal: PasswordPolicy.Refusal) {
        self =
            switch refusal {
            case .tooShort: .tooShort
            case .tooLong: .tooLong
            case .common: .tooCommon
            case .containsName: .hasName
            }
    }
}

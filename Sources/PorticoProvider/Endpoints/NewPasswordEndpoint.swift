import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/login-actions/new-password`: where the link of the mail leads (WEB-PW-7).
///
/// Opening it consumes nothing. In the browser that asked, a new password is chosen; in another one a
/// code is shown that is typed in where the person began.
struct NewPasswordEndpoint: Sendable {
    let flow: BrowserFlow
    let resets: PasswordResets
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    private var pages: PasswordResetPages { PasswordResetPages(flow: flow) }

    func callAsFunction(_ visit: RealmVisit) async throws -> Response {
        try await visit.request.method == .post ? post(visit) : get(visit)
    }

    private func get(_ visit: RealmVisit) async throws -> Response {
        try resets.expectOffered(in: visit.realm)
        let form = try FormParameters(query: visit.visit.target)
        let reading = try await resets.reading(link: form["key"], visit)
        return try open(reading, visit) { reset, person, visit in
            flow.cookies(of: visit).hasAsked(reset, visit.request.headers)
                ? try pages.choosing(reset, person, visit) : try pages.elsewhere(reset, visit)
        }
    }

    private func post(_ visit: RealmVisit) async throws -> Response {
        try resets.expectOffered(in: visit.realm)
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        guard flow.cookies(of: visit).visit(visit.request.headers) != nil else {
            throw FlowLoss(.noCookie, restart: pages.again(nil, visit))
        }
        return form["action"] == "show-code"
            ? try await showCode(form, visit) : try await save(form, visit)
    }

    private func save(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard let id = seal.open(form["request"], .proven, at: visit.moment) else {
            return pages.outcome(.expired, wayBack: nil, visit)
        }
        try flow.checkForm("new password", form["csrf"], transaction: id.text, visit)
        let reading = try await resets.reading(id, visit)
        let (reset, person): (PasswordReset, Person)
        switch resets.standing(reading, visit) {
        case .open(let open, let its): (reset, person) = (open, its)
        case .used, .expired: return try open(reading, visit) { _, _, _ in throw NotOffered() }
        }
        guard flow.cookies(of: visit).hasAsked(reset, visit.request.headers) else {
            throw FlowLoss(.unmatched, restart: pages.again(nil, visit))
        }
        let wayBack = WayBack(reset.wayBack, flow, visit)
        let visit = try visit.speaking(wayBack)
        guard let password = form["password"], !password.isEmpty else {
            return try pages.choosing(reset, person, problem: .missing, visit)
        }
        let outcome: PasswordResetOutcome
        do {
            outcome = try await resets.finish(reset, of: person, with: SecretText(password), visit)
        } catch let refusal as PasswordPolicy.Refusal {
            return try pages.choosing(reset, person, problem: .init(refusal), visit)
        }
        switch outcome {
        case .changed: break
        case .used: return pages.outcome(.used, wayBack: wayBack, visit)
        case .expired: return pages.outcome(.expired, wayBack: wayBack, visit)
        }
        events.passwordReset(person, visit)
        sessionEnded()
        let cookies = flow.cookies(of: visit)
        return pages.outcome(
            .done,
            wayBack: wayBack,
            cookies: [cookies.removeSession, cookies.removeReset],
            visit
        )
    }

    private func showCode(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard let id = seal.open(form["request"], .elsewhere, at: visit.moment) else {
            return pages.outcome(.expired, wayBack: nil, visit)
        }
        try flow.checkForm("password elsewhere", form["csrf"], transaction: id.text, visit)
        let reading = try await resets.reading(id, visit)
        guard case .open(let reset, _) = resets.standing(reading, visit),
            let made = try await resets.code(for: reset, visit)
        else { return try open(reading, visit) { _, _, _ in throw NotOffered() } }
        return pages.code(made.code, seconds: made.seconds, visit)
    }

    /// What is shown of a wish: that it is over, or `body` where it is open.
    private func open(
        _ reading: PasswordResetReading?,
        _ visit: RealmVisit,
        _ body: (PasswordReset, Person, RealmVisit) throws -> Response
    ) throws -> Response {
        let wayBack = WayBack(reading?.reset.wayBack, flow, visit)
        let visit = try visit.speaking(wayBack)
        switch resets.standing(reading, visit) {
        case .open(let reset, let person): return try body(reset, person, visit)
        case .used: return pages.outcome(.used, wayBack: wayBack, visit)
        case .expired: return pages.outcome(.expired, wayBack: wayBack, visit)
        }
    }
}

extension NewPasswordPage.Problem {
    fileprivate init(_ refusal: PasswordPolicy.Refusal) {
        self =
            switch refusal {
            case .tooShort: .tooShort
            case .tooLong: .tooLong
            case .common: .tooCommon
            case .containsName: .hasName
            }
    }
}

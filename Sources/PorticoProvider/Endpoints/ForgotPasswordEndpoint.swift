import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/login-actions/reset-credentials`: a link to choose a new password is asked for
/// (WEB-PW-7), and the code is typed in that it shows in another browser.
struct ForgotPasswordEndpoint: Sendable {
    let flow: BrowserFlow
    let resets: PasswordResets
    let events: SecurityEvents

    private var pages: PasswordResetPages { PasswordResetPages(flow: flow) }

    func get(_ visit: RealmVisit) throws -> Response {
        try resets.expectOffered(in: visit.realm)
        let form = try FormParameters(query: visit.visit.target)
        let wayBack = WayBack(form["request"], flow, visit)
        let typed = TypedAddressSeal(ring: flow.ring, realmID: visit.realm.realm.id)
            .open(form["name"], at: visit.moment)
        return try pages.asking(
            typed ?? wayBack?.suggestedAddress ?? "",
            wayBack: wayBack,
            visit.speaking(wayBack)
        )
    }

    func post(_ visit: RealmVisit) async throws -> Response {
        try resets.expectOffered(in: visit.realm)
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        guard flow.cookies(of: visit).visit(visit.request.headers) != nil else {
            throw FlowLoss(.noCookie, restart: pages.again(nil, visit))
        }
        return form["action"] == "confirm"
            ? try await code(form, visit) : try await ask(form, visit)
    }

    private func ask(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        let wayBack = WayBack(form["request"], flow, visit)
        let transaction = wayBack?.flow.id ?? ""
        try flow.checkForm("forgot password", form["csrf"], transaction: transaction, visit)
        let visit = try visit.speaking(wayBack)
        if form["action"] == "cancel" {
            let path = wayBack?.restart(visit)?.href ?? "/realms/\(visit.realm.realm.name)"
            guard let redirect = Redirect(to: path) else { throw NotOffered() }
            return Response(redirect, headers: flow.page.headers)
        }
        let typed = String((form["email"] ?? "").filter { !$0.isWhitespace }.prefix(255))
        guard let email = EmailAddress.folded(typed) else {
            return try pages.asking(typed, isMissing: true, wayBack: wayBack, visit)
        }
        let cookies = flow.cookies(of: visit)
        // One value for one browser, so that a wish in one tab does not cut off another's.
        let browser =
            cookies.reset(visit.request.headers) ?? FormToken.cookie(random: visit.moment.random)
        let id = try await resets.ask(
            for: email,
            browser: Hash256(of: browser),
            wayBack: wayBack?.sealed,
            visit
        )
        events.passwordResetAsked(visit)
        return try pages.sent(
            id,
            to: email,
            wayBack: wayBack,
            cookies: [try cookies.setReset(browser)],
            visit
        )
    }

    private func code(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard let id = seal.open(form["request"], .asked, at: visit.moment) else {
            return pages.outcome(.expired, wayBack: nil, visit)
        }
        try flow.checkForm("password code", form["csrf"], transaction: id.text, visit)
        guard let reading = try await resets.reading(id, visit) else {
            return pages.outcome(.expired, wayBack: nil, visit)
        }
        let wayBack = WayBack(reading.reset.wayBack, flow, visit)
        let visit = try visit.speaking(wayBack)
        guard flow.cookies(of: visit).hasAsked(reading.reset, visit.request.headers) else {
            throw FlowLoss(.unmatched, restart: pages.again(wayBack, visit))
        }
        let problem: ForgotPasswordPage.CodeProblem
        let code = form["code"] ?? ""
        if code.isEmpty {
            problem = .missing
        } else {
            switch try await resets.present(code, of: id, visit) {
            case .right:
                guard case .open(let reset, let person) = resets.standing(reading, visit) else {
                    return pages.outcome(.expired, wayBack: wayBack, visit)
                }
                return try pages.choosing(reset, person, visit)
            case .wrong: problem = .wrong
            case .dead: problem = .tooMany
            }
        }
        return try pages.sent(
            id,
            to: reading.reset.email,
            problem: problem,
            wayBack: wayBack,
            visit
        )
    }
}

extension WayBack {
    /// `login_hint`, where it is an address (OpenID Connect Core §3.1.2.1).
    fileprivate var suggestedAddress: String? {
        // `try?`: without it the person types the address.
        let parameters = try? FormParameters(decoding: flow.parameters)
        return parameters?["login_hint"].flatMap(EmailAddress.folded)
    }
}

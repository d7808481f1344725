import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/authenticate`: user name and password (OpenID Connect Core §3.1.2.3).
struct SignInEndpoint: Sendable {
    let flow: BrowserFlow
    let recognise: PasswordSignIn
    let start: SessionStart
    let tries: FailedPasswords
    let events: SecurityEvents

    func post(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        let begun = try flow.flow(form["request"], visit)
        try flow.checkForm("sign-in", form["csrf"], transaction: begun.id, visit)
        let proven = try await flow.requests.resume(begun, in: visit.realm, at: visit.moment)
        var visit = visit
        visit.visit = visit.visit.speaking(try FormParameters(decoding: begun.parameters))
        // `checkForm` has seen the cookie.
        let browser = flow.cookies(of: visit).visit(visit.request.headers) ?? ""
        switch form["action"] {
        case "cancel":
            throw AuthorizationRefusal.redirect(
                OAuthError(.accessDenied, "The person stopped signing in."),
                proven.target
            )
        case "switch":
            return try flow.signInPage(proven, begun, userName: "", browser: browser, visit)
        default:
            return try await signIn(Attempt(form, proven, begun, browser), visit)
        }
    }

    private struct Attempt {
        let userName: String
        let password: SecretText?
        let proven: ProvenRequest
        let flow: AuthorizationFlow
        let browser: String

        init(
            _ form: FormParameters,
            _ proven: ProvenRequest,
            _ flow: AuthorizationFlow,
            _ browser: String
        ) {
            userName = String((form["username"] ?? "").trimmingBlanks.prefix(255))
            password = form["password"].map(SecretText.init)
            self.proven = proven
            self.flow = flow
            self.browser = browser
        }
    }

    private func signIn(_ attempt: Attempt, _ visit: RealmVisit) async throws -> Response {
        guard let password = attempt.password, !attempt.userName.isEmpty else {
            let missing = SignInPage.Problem.missing(
                userName: attempt.userName.isEmpty,
                password: attempt.password == nil
            )
            return try again(attempt, missing, visit)
        }
        let account = try await recognise.account(attempt.userName, in: visit.realm)
        let counted: FailedPasswords.Attempt
        switch tries.begin(account, attempt.userName, visit, device(account, visit)) {
        case .proceed(let attempt): counted = attempt
        case .wait(let seconds):
            let whole = Int(exactly: min(max(seconds.rounded(.up), 1), 86_400)) ?? 86_400
            return try again(attempt, .mustWait(seconds: whole), visit)
        }
        let outcome: PasswordSignIn.Outcome
        do {
            outcome = try await recognise(
                password,
                of: account,
                random: visit.moment.random
            )
        } catch is PasswordHashing.Busy {
            tries.wasRight(counted)
            return try again(attempt, .busy, visit)
        }
        switch outcome {
        case .recognised(let credentials, let rehashed):
            tries.wasRight(counted)
            return try await begin(credentials, rehashed, attempt, visit)
        case .refused:
            events.signInFailed(visit)
            return try again(attempt, .wrongPair, visit)
        case .blocked:
            events.signInFailed(visit)
            return flow.page(
                ErrorPage(issue: .accountBlocked),
                visit.visit,
                status: .forbidden
            )
        }
    }

    private func again(_ attempt: Attempt, _ problem: SignInPage.Problem, _ visit: RealmVisit)
        throws -> Response
    {
        try flow.signInPage(
            attempt.proven,
            attempt.flow,
            userName: attempt.userName,
            problem: problem,
            browser: attempt.browser,
            visit
        )
    }

    private func knownPeople(_ visit: RealmVisit) -> [String] {
        KnownDevice(ring: flow.ring, realmID: visit.realm.realm.id)
            .people(flow.cookies(of: visit).device(visit.request.headers), at: visit.moment)
    }

    /// The id of this browser, where the account has signed in from it before: its count of wrong
    /// passwords is its own.
    private func device(_ account: PersonCredentials?, _ visit: RealmVisit) -> String? {
        guard let account, knownPeople(visit).contains(account.person.id) else { return nil }
        let cookie = flow.cookies(of: visit).device(visit.request.headers)
        return cookie.map { Base64URL.encode(Hash256(of: $0).bytes) }
    }

    /// A new session, with new cookies throughout: no value from before the sign-in is worth
    /// anything after it (WEB-SESS-1).
    private func begin(
        _ credentials: PersonCredentials,
        _ rehashed: PasswordHash?,
        _ attempt: Attempt,
        _ visit: RealmVisit
    ) async throws -> Response {
        let person = credentials.person
        let cookies = flow.cookies(of: visit)
        let (session, cookie) = try await start(
            credentials,
            rehashed: rehashed,
            in: visit.realm,
            replacing: cookies.sessionHash(visit.request.headers),
            at: visit.moment
        )
        events.signedIn(person, session, attempt.proven.client, visit)
        let browser = FormToken.cookie(random: visit.moment.random)
        let device = KnownDevice(ring: flow.ring, realmID: visit.realm.realm.id)
            .adding(person.id, to: knownPeople(visit), at: visit.moment)
        var begun = attempt.flow
        begun.browser = Hash256(of: browser)
        begun.authenticatedSession = session.id
        let setting = [
            try cookies.setSession(cookie), try cookies.setVisit(browser),
            try cookies.setDevice(device),
        ]
        do {
            return try await flow.next(
                attempt.proven,
                begun,
                session: LiveBrowserSession(session: session, person: person),
                browser: browser,
                cookies: setting,
                visit
            )
        } catch AuthorizationRefusal.redirect(let error, let target) {
            // The session has begun, and the one before it is over: the browser must learn it.
            return flow.page.respond(target, target.failure(error), visit.visit, cookies: setting)
        }
    }
}

extension FailedPasswords {
    /// Both names of an account count as one, and a name that nobody has counts the same.
    fileprivate func begin(
        _ account: PersonCredentials?,
        _ userName: String,
        _ visit: RealmVisit,
        _ device: String?
    ) -> Verdict {
        begin(
            account: "\(visit.realm.realm.id) \(account?.person.id ?? LoginName.folded(userName))",
            address: visit.visit.address,
            device: device,
            at: visit.moment.now
        )
    }
}

extension String {
    /// Without blanks at either end, which phones like to add.
    fileprivate var trimmingBlanks: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}

import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// An authorization request whose next page is shown in one browser.
struct PendingPage: Sendable {
    let proven: ProvenRequest
    let flow: AuthorizationFlow
    /// What the page's form is bound to, and the cookies that come with the page.
    let browser: FormBrowser
    let context: RealmContext

    init(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        in browser: FormBrowser,
        _ context: RealmContext
    ) {
        self.proven = proven
        self.flow = flow
        self.browser = browser
        self.context = context
    }

    var signIn: AppSignIn { AppSignIn(proven: proven, begun: flow) }
}

/// The pages of a pending sign-in, each with its form bound to this browser.
extension BrowserFlow {
    func show(_ step: Interaction, _ pending: PendingPage, _ session: LiveSession?) throws
        -> Response
    {
        let context = pending.context
        if case .signIn = step, let answer = try hinted(pending) { return answer }
        switch (step, session) {
        case (.consent, let session?): return try consentPage(pending, session)
        case (.register, _):
            try expectRegistration(for: pending.proven, context)
            return try registrationPage(
                for: pending.signIn,
                .init(hint: pending.proven.suggestedUserName),
                in: pending.browser,
                context
            )
        case (.setUpSecondFactor, _):
            let sealed = try AuthorizationFlowSeal(ring: ring, realmID: context.realm.id)
                .seal(pending.flow, at: context.moment)
            let path = context.path(.secondFactors)
            return try redirect(to: path + "?request=" + sealed, cookies: pending.browser.cookies)
        case (.updatePassword, let session?): return try updatePasswordPage(pending, session)
        case (.confirmEmail, let session?):
            try expectMail(for: pending.proven)
            let form = try self.form(.verifyEmail, "confirm e-mail", of: session, pending)
            let address = EmailCodePage.masked(session.person.email ?? "")
            return ask(ConfirmEmailPage(address: address, form: form), pending)
        case (.withoutDID, let session?):
            // Nothing is asked but whether to use another account, so its form is that of the choice.
            let page = AccountWithoutDIDPage(
                client: pending.proven.client.name,
                account: PageAccount(session.person),
                form: try form(.selectAccount, "select account", of: session, pending)
            )
            return ask(page, pending, status: .forbidden)
        case (.selectAccount, let session?): return try accountPage(.choose, pending, session)
        case (.signIn(.another), let session?):
            return try accountPage(.otherPersonExpected, pending, session)
        case (.signIn(.again), let session?):
            return try signInPage(
                for: pending.signIn,
                userName: session.person.email ?? session.person.username,
                again: true,
                in: pending.browser,
                context
            )
        default:
            return try signInPage(
                for: pending.signIn,
                userName: pending.proven.suggestedUserName,
                in: pending.browser,
                context
            )
        }
    }

    func signInPage(
        for purpose: some SignInPurpose,
        userName: String = "",
        again: Bool = false,
        problem: SignInPage.Problem? = nil,
        failure: ChooseMethodPage.Problem? = nil,
        in browser: FormBrowser,
        _ context: RealmContext
    ) throws -> Response {
        let form = try purpose.form(self, in: browser, context)
        let methods = try methods(for: purpose, context)
        return page(
            SignInPage(
                client: purpose.asker,
                form: form,
                userName: userName,
                again: again,
                endsAnother: mayEndAnother(context),
                problem: problem,
                failure: failure,
                takesPassword: context.realm.realm.signsInWithPassword,
                forgot: forgot(form.request, userName, context),
                registers: offersRegistration(context),
                methods: methods.map(\.method).filter { !$0.isHidden }
            ),
            context,
            status: problem?.status ?? .ok,
            redirecting: methods.isEmpty ? purpose.formTarget : .onward,
            cookies: browser.cookies,
            retryAfter: problem?.retryAfter
        )
    }

    /// Where else a person can sign in for that, with what they come back to. None where that is too long
    /// to wait in a cookie.
    func methods(for purpose: some SignInPurpose, _ context: RealmContext) throws -> [(
        method: SignInMethod, path: String
    )] {
        let methods = elsewhere.methods(context.realm.id, context.realm.name, context.headers)
        guard !methods.isEmpty else { return [] }
        let path = self.path(try purpose.path(self, context), context)
        guard path.utf8.count <= SignInElsewhere.longestReturn else { return [] }
        return methods.map { ($0, path) }
    }

    /// Leads to an identity provider without a page: to the one that an authorization request names by
    /// `kc_idp_hint` or `identity_provider`, or to the only method that there is. `nil` where a page comes.
    private func hinted(_ pending: PendingPage) throws -> Response? {
        guard pending.flow.isBeginning else { return nil }
        // `try?`: the parameters were read before.
        let parameters = try? FormParameters(decoding: pending.flow.parameters)
        let name = parameters?["kc_idp_hint"] ?? parameters?["identity_provider"]
        let takesPassword = pending.context.realm.realm.signsInWithPassword
        guard name != nil || !takesPassword else { return nil }
        let methods = try methods(for: pending.signIn, pending.context)
        let offered = methods.filter { !$0.method.isHidden }
        let only = offered.count == 1 && !takesPassword ? offered.first : nil
        let named = name.flatMap { name in methods.first { sameBytes($0.method.name, name) } }
        guard let (method, path) = named ?? only else { return nil }
        let address = SignInElsewhere.address(
            of: method,
            returningTo: path,
            asksAnew: pending.signIn.asksAnew,
            hint: EmailAddress.folded(pending.proven.suggestedUserName) ?? ""
        )
        return try redirect(to: address, cookies: pending.browser.cookies)
    }

    /// Whether the browser has a session cookie, so that another person who signs in ends that
    /// session. The session may be over; the sentence on the page is true either way, so nothing is
    /// looked up.
    func mayEndAnother(_ context: RealmContext) -> Bool {
        cookies(of: context).sessionHash(context.headers) != nil
    }

    /// The link for a forgotten password, if offered. A typed address is carried along, sealed.
    func forgot(_ request: String?, _ userName: String, _ context: RealmContext) -> PageLink? {
        guard sendsMail, context.realm.allowsPasswordReset else { return nil }
        var parameters: [(name: String, value: String)] = []
        if let request { parameters.append(("request", request)) }
        if let address = EmailAddress.folded(userName) {
            let seal = TypedAddressSeal(ring: ring, realmID: context.realm.id)
            parameters.append(("name", seal.seal(address, at: context.moment)))
        }
        let path = context.path(.resetCredentials)
        return PageLink(path: FormEncoding.appending(parameters, to: path))
    }

    private func consentPage(_ pending: PendingPage, _ session: LiveSession) throws
        -> Response
    {
        let proven = pending.proven
        let consent = ConsentPage(
            client: proven.client.name,
            origin: proven.origin,
            account: PageAccount(session.person),
            scopes: proven.consentScope.tokens,
            unknown: proven.leftOut,
            administers: proven.client.lendsAdministration,
            form: try form(.consent, "consent", of: session, pending)
        )
        return ask(consent, pending)
    }

    func accountPage(
        _ reason: AccountPage.Reason,
        _ pending: PendingPage,
        _ session: LiveSession
    ) throws -> Response {
        let (flow, browser) = (pending.flow, pending.browser.value)
        let form =
            if case .handedOn = reason {
                try self.form(.continueAs, "continue as", flow.id, flow, browser, pending.context)
            } else {
                try self.form(.selectAccount, "select account", of: session, pending)
            }
        let account = AccountPage(
            client: pending.proven.client.name,
            account: PageAccount(session.person),
            reason: reason,
            form: form
        )
        return ask(account, pending)
    }

    func updatePasswordPage(
        _ pending: PendingPage,
        _ session: LiveSession,
        _ problem: NewPasswordPage.Problem? = nil
    ) throws -> Response {
        let page = NewPasswordPage(
            userName: session.person.email ?? session.person.username,
            leastCharacters: PasswordPolicy.minimumLength,
            form: try form(.requiredAction, "update password", of: session, pending),
            problem: problem,
            canCancel: true
        )
        return ask(page, pending)
    }

    private func ask(
        _ asking: some Page,
        _ pending: PendingPage,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        page(
            asking,
            pending.context,
            status: status,
            redirecting: .onward,
            cookies: pending.browser.cookies
        )
    }

    /// A form that counts only for the person that it is shown to.
    private func form(
        _ route: RealmPath,
        _ purpose: StaticString,
        of session: LiveSession,
        _ pending: PendingPage
    ) throws -> PageForm {
        let flow = pending.flow
        let transaction = flow.transaction(of: session, pending.proven)
        return try form(route, purpose, transaction, flow, pending.browser.value, pending.context)
    }

    func form(
        _ route: RealmPath,
        _ purpose: StaticString,
        _ transaction: String,
        _ flow: AuthorizationFlow,
        _ browser: String,
        _ context: RealmContext
    ) throws -> PageForm {
        let seal = AuthorizationFlowSeal(ring: ring, realmID: context.realm.id)
        return forms.form(
            context.path(route),
            purpose,
            transaction,
            in: FormBrowser(value: browser),
            request: try seal.seal(flow, at: context.moment)
        )
    }
}

extension ClientRequest {
    /// `login_hint` fills the field and proves nothing (OpenID Connect Core §3.1.2.1). A login token
    /// is no name, good or not. Nor is what a stranger's client names: no one signs in by a DID or an
    /// attribute, and which user name belongs to it is not told.
    var suggestedUserName: String {
        guard loginToken == nil, !client.isOfStranger else { return "" }
        return String((request.loginHint ?? "").prefix(255))
    }
}

extension ProvenRequest {
    /// The description of the client on the consent page.
    fileprivate var origin: ConsentPage.Origin {
        let client = asked.client
        if client.source == .document {
            let isLocal = LocalhostClient.isMeant(by: client.clientID)
            return isLocal ? .unnamedAppOnThisDevice : .document(clientID: client.clientID)
        }
        guard client.requiresConsent || client.lendsByName(at: target.redirect) else {
            return .registered
        }
        guard let origin = target.redirect.uri.httpsOrigin else { return .appOnThisDevice }
        return .site(host: String(origin.dropFirst("https://".count)))
    }
}

extension SignInPage.Problem {
    var status: HTTPResponse.Status {
        switch self {
        case .wrongPair, .missing, .tookTooLong: .ok
        case .mustWait: .tooManyRequests
        case .busy: .serviceUnavailable
        }
    }

    var retryAfter: Double? {
        switch self {
        case .wrongPair, .missing, .busy, .tookTooLong: nil
        case .mustWait(let seconds): Double(seconds)
        }
    }
}

/// The page for a new account (docs/decisions/0052).
extension BrowserFlow {
    /// Whether people can make an account here. An address that has to be proven takes mail.
    func offersRegistration(_ context: RealmContext) -> Bool {
        let realm = context.realm.realm
        guard realm.signsInWithPassword else { return false }
        return switch realm.registration {
        case nil: false
        case .email: sendsMail
        case .username: sendsMail || !realm.confirmsEmail
        }
    }

    /// It is not left out because this server sends no mail: the operator must correct that.
    func expectRegistration(for proven: ProvenRequest, _ context: RealmContext)
        throws(AuthorizationRefusal)
    {
        guard offersRegistration(context) else {
            throw .redirect(
                OAuthError(.serverError, "No account can be made: no mail can be sent."),
                proven.target
            )
        }
    }

    func registrationPage(
        for purpose: some SignInPurpose,
        _ entries: RegistrationPage.Entries = .init(),
        _ problems: [RegistrationPage.Problem] = [],
        in browser: FormBrowser,
        _ context: RealmContext
    ) throws -> Response {
        let form = try purpose.form(self, in: browser, context)
        return page(
            RegistrationPage(
                client: purpose.asker,
                form: form,
                entries: entries,
                asksForEmail: sendsMail,
                asksForUserName: context.realm.realm.registration == .username,
                leastCharacters: PasswordPolicy.minimumLength,
                problems: problems
            ),
            context,
            status: problems.first?.status ?? .ok,
            redirecting: purpose.formTarget,
            cookies: browser.cookies,
            retryAfter: problems.first?.retryAfter
        )
    }
}

extension RegistrationPage.Entries {
    /// - Parameter hint: `login_hint`.
    init(hint: String) {
        self.init()
        if let address = EmailAddress.folded(hint) {
            email = address
        } else {
            userName = hint
        }
    }
}

extension RegistrationPage.Problem {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .mustWait: .tooManyRequests
        case .busy: .serviceUnavailable
        default: .ok
        }
    }

    fileprivate var retryAfter: Double? {
        if case .mustWait(let seconds) = self { Double(seconds) } else { nil }
    }
}

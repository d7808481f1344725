import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The pages of a pending sign-in, each with its form bound to this browser.
extension BrowserFlow {
    func show(
        _ step: Interaction,
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession?,
        _ browser: String,
        _ cookies: [HTTPField],
        _ context: RealmContext
    ) throws -> Response {
        switch (step, session) {
        case (.consent, let session?):
            return try consentPage(proven, flow, session, browser, cookies, context)
        case (.register, _):
            try expectRegistration(for: proven, context)
            return try registrationPage(
                for: AppSignIn(proven: proven, begun: flow),
                .init(hint: proven.suggestedUserName),
                in: FormBrowser(value: browser),
                cookies: cookies,
                context
            )
        case (.setUpSecondFactor, _):
            let sealed = try AuthorizationFlowSeal(ring: ring, realmID: context.realm.id)
                .seal(flow, at: context.moment)
            let path = RealmURLs.path(realmName: context.realm.name, .secondFactors)
            return try redirect(to: path + "?request=" + sealed, cookies: cookies)
        case (.updatePassword, let session?):
            return try updatePasswordPage(
                proven,
                flow,
                session,
                in: FormBrowser(value: browser),
                cookies: cookies,
                context
            )
        case (.confirmEmail, let session?):
            return try confirmEmailPage(proven, flow, session, browser, cookies, context)
        case (.withoutDID, let session?):
            return try withoutDIDPage(proven, flow, session, browser, cookies, context)
        case (.selectAccount, let session?):
            return try accountPage(.choose, proven, flow, session, browser, cookies, context)
        case (.signIn(.another), let session?):
            return try accountPage(
                .otherPersonExpected,
                proven,
                flow,
                session,
                browser,
                cookies,
                context
            )
        case (.signIn(.again), let session?):
            return try signInPage(
                for: AppSignIn(proven: proven, begun: flow),
                userName: session.person.email ?? session.person.username,
                again: true,
                in: FormBrowser(value: browser),
                cookies: cookies,
                context
            )
        default:
            return try signInPage(
                for: AppSignIn(proven: proven, begun: flow),
                userName: proven.suggestedUserName,
                in: FormBrowser(value: browser),
                cookies: cookies,
                context
            )
        }
    }

    func signInPage(
        for purpose: some SignInPurpose,
        userName: String = "",
        again: Bool = false,
        problem: SignInPage.Problem? = nil,
        in browser: FormBrowser,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) throws -> Response {
        let form = try purpose.form(self, in: browser, context)
        return page(
            SignInPage(
                client: purpose.asker,
                form: form,
                userName: userName,
                again: again,
                endsAnother: mayEndAnother(context),
                problem: problem,
                forgot: forgot(form.request, userName, context),
                registers: offersRegistration(context)
            ),
            context,
            status: problem?.status ?? .ok,
            redirecting: purpose.formTarget,
            cookies: cookies + browser.cookies,
            retryAfter: problem?.retryAfter
        )
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
        let path = RealmURLs.path(realmName: context.realm.name, .resetCredentials)
        return PageLink(path: FormEncoding.appending(parameters, to: path))
    }

    private func confirmEmailPage(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ browser: String,
        _ cookies: [HTTPField],
        _ context: RealmContext
    ) throws -> Response {
        try expectMail(for: proven)
        let transaction = flow.transaction(of: session, proven)
        let form = try self.form(
            .verifyEmail,
            "confirm e-mail",
            transaction,
            flow,
            browser,
            context
        )
        return page(
            ConfirmEmailPage(
                address: EmailCodePage.masked(session.person.email ?? ""),
                form: form
            ),
            context,
            redirecting: .onward,
            cookies: cookies
        )
    }

    private func consentPage(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ browser: String,
        _ cookies: [HTTPField],
        _ context: RealmContext
    ) throws -> Response {
        let transaction = flow.transaction(of: session, proven)
        let form = try self.form(.consent, "consent", transaction, flow, browser, context)
        let consent = ConsentPage(
            client: proven.client.name,
            origin: proven.origin,
            account: PageAccount(session.person),
            scopes: proven.consentScope.tokens,
            unknown: proven.leftOut,
            administers: proven.client.lendsAdministration,
            form: form
        )
        return page(
            consent,
            context,
            redirecting: .onward,
            cookies: cookies
        )
    }

    func accountPage(
        _ reason: AccountPage.Reason,
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ browser: String,
        _ cookies: [HTTPField],
        _ context: RealmContext
    ) throws -> Response {
        let form =
            if case .handedOn = reason {
                try self.form(.continueAs, "continue as", flow.id, flow, browser, context)
            } else {
                try self.form(
                    .selectAccount,
                    "select account",
                    flow.transaction(of: session, proven),
                    flow,
                    browser,
                    context
                )
            }
        let account = AccountPage(
            client: proven.client.name,
            account: PageAccount(session.person),
            reason: reason,
            form: form
        )
        return page(
            account,
            context,
            redirecting: .onward,
            cookies: cookies
        )
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
            RealmURLs.path(realmName: context.realm.name, route),
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

extension PageAccount {
    init(_ person: Person) {
        let userName = person.email ?? person.username
        self.init(
            name: person.displayName == person.username ? nil : person.displayName,
            userName: userName
        )
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

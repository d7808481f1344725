import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// The welcome, the dashboard, signing out, help, and the page at an app's https redirect.
struct HomePages: Sendable {
    let check: SessionCheck
    let accounts: AccountStore
    let browserSignOut: BrowserSignOut
    let emails: EmailCodes
    let directory: ProviderDirectory
    let identity: ServiceIdentity
    let responder: SignInResponder
    let forms: PageForms

    func root(_ context: SignInContext) async throws -> Response {
        // Where a proxy leads the root elsewhere, this is not asked: otherwise it would lead to itself.
        if identity.home == LocalPath.root.text { return try await ownDashboard(context) }
        return try await check.ifAny(context) == nil
            ? responder.go(to: .login, context) : responder.go(to: .dashboard, context)
    }

    /// Every sign-in without a place of its own leads here.
    func dashboard(_ context: SignInContext) async throws -> Response {
        guard let home = identity.home.flatMap({ LocalPath($0) }) else {
            return try await ownDashboard(context)
        }
        return responder.redirect(home.text)
    }

    private func ownDashboard(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let made = try forms.form(.signOut, "sign out", live.session.signIn, context)
        return responder.page(
            DashboardPage(
                account: PageAccount(live.person),
                signedInWith: live.providers.first.flatMap { SignInMethods(directory).label($0) },
                form: made.form
            ),
            context,
            cookies: made.cookies
        )
    }

    func onboarding(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let path = LocalPath.asked(try context.query()["return_to"])
        switch identity.onboarding {
        case nil: return try welcomePage(live, nil, [], backTo: path, context)
        case .off: return responder.go(to: path, context)
        case .at(let own):
            return responder.redirect(FormEncoding.appending([("return_to", path.text)], to: own))
        }
    }

    /// `POST /onboarding`: stores the details that the person entered.
    func welcome(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let (form, counts) = try forms.taken("welcome", live.session.signIn, context)
        let path = LocalPath.asked(form["return_to"])
        let said = ProfileForm(form, WelcomePage.Email(live.person.mailbox))
        guard counts else {
            return try welcomePage(live, said, [], backTo: path, context).notDone
        }
        guard form["action"] != "later" else {
            return try await welcomed(live, name: nil, backTo: path, context)
        }
        guard said.problems.isEmpty else {
            return try welcomePage(live, said, said.problems, backTo: path, context)
        }
        guard let address = said.newAddress else {
            return try await welcomed(live, name: said.name, backTo: path, context)
        }
        // A person who has just created the account has nothing to prove yet.
        let isNew =
            !live.person.isWelcomed
            && context.now - live.person.createdAt <= PersonSession.proofLife
        guard isNew || live.isProven(at: context.now) else {
            // The name is stored; the address is asked for again afterwards.
            _ = try await accounts.update(
                live.person.id,
                name: said.name,
                language: context.language.tag,
                isWelcomed: nil
            )
            return responder.go(to: .confirming(.changingEmail, backTo: .welcome(path)), context)
        }
        let profile = ProfileChange(
            personID: live.person.id,
            name: said.name,
            language: context.language.tag,
            isWelcomed: true
        )
        // A person with an unverified address is asked for the code that is emailed to it.
        return try await forms.once(form, context) {
            try await emails.start(address, for: live.person, saying: profile, context)
            let path = emails.asking(address, for: live.person, context)
            return (responder.go(to: path, context), isDone: true)
        }
    }

    private func welcomed(
        _ live: LiveSession,
        name: PersonName?,
        backTo path: LocalPath,
        _ context: SignInContext
    ) async throws -> Response {
        _ = try await accounts.update(
            live.person.id,
            name: name,
            language: context.language.tag,
            isWelcomed: true
        )
        return responder.go(to: path, context)
    }

    /// - Parameter said: What the person typed, if it could not be accepted (WCAG 3.3.7).
    private func welcomePage(
        _ live: LiveSession,
        _ said: ProfileForm?,
        _ problems: [WelcomePage.Problem],
        backTo path: LocalPath,
        _ context: SignInContext
    ) throws -> Response {
        let ways = SignInMethods(directory)
        let made = try forms.form(
            .onboarding,
            "welcome",
            live.session.signIn,
            context,
            carrying: [PageField("return_to", path.text)]
        )
        return responder.page(
            WelcomePage(
                name: said?.wholeName ?? live.person.fullName ?? "",
                email: said?.email ?? WelcomePage.Email(live.person.mailbox),
                provider: live.providers.first.flatMap { ways.label($0) }
                    ?? MethodLabel(kind: .generic, displayName: identity.name),
                form: made.form,
                problems: problems,
                terms: identity.terms.flatMap { PageLink(https: $0) }
            ),
            context,
            cookies: made.cookies
        )
    }

    // MARK: Signing out

    func askToSignOut(_ context: SignInContext) async throws -> Response {
        try await askToSignOut(try await browserSignOut.whose.leaving(context), context)
    }

    /// - Parameter answer: What the browser has, perhaps of two people: all of it is to end.
    private func askToSignOut(_ answer: WhoseBrowser.Answer, _ context: SignInContext) async throws
        -> Response
    {
        guard let live = answer.sessions.first else {
            return responder.page(
                BackendSignedOutPage(
                    outcome: .wasNotSignedIn,
                    signInAgain: PageLink(path: "/login")
                ),
                context,
                cookies: forms.cookies.removalOfPending(context.headers)
            )
        }
        let made = try forms.form(.signOut, "sign out", live.session.signIn, context)
        return responder.page(
            BackendSignOutPage(account: PageAccount(live.person), form: made.form),
            context,
            cookies: made.cookies
        )
    }

    /// `POST /logout`, of the sign-out page and of ``AlreadySignedInPage``.
    func signOut(_ context: SignInContext) async throws -> Response {
        let answer = try await browserSignOut.whose.leaving(context)
        guard let live = answer.sessions.first else {
            return try await askToSignOut(answer, context)
        }
        let form = try forms.checked("sign out", live.session.signIn, context)
        switch form["action"] {
        case "stay": return responder.go(to: .dashboard, context)
        case "switch": return responder.go(to: .signingIn(backTo: .dashboard), context)
        default: break
        }
        let isEverywhere = form["action"] == "everywhere"
        let removed = try await browserSignOut(answer, everywhere: isEverywhere, context)
        let methods = live.providers.compactMap { SignInMethods(directory).label($0) }
        return responder.page(
            BackendSignedOutPage(
                outcome: isEverywhere ? .everywhere : .here,
                stillAt: methods,
                signInAgain: PageLink(path: "/login")
            ),
            context,
            cookies: removed
        )
    }

    // MARK: Others

    /// The browser opened an app's https redirect itself, because the app is not installed. The
    /// code in the URL is only for the app: the server does not read it.
    func appDidNotOpen(_ context: SignInContext) -> Response {
        let opened = RedirectURI(responder.page.origin + context.target.path)
        let app = directory.apps.apps.first { app in
            app.redirectURIs.contains(opened)
        }
        return responder.page(
            ReturnToAppPage(
                state: .appNotOpened,
                app: app?.name ?? identity.name,
                link: app.flatMap(Self.opening),
                stores: (app?.handOff.storeLinks ?? []).compactMap { text in
                    PageLink(https: text).map {
                        ReturnToAppPage.Store(name: Self.store(text), link: $0)
                    }
                }
            ),
            context
        )
    }

    func help(_ context: SignInContext) -> Response {
        responder.page(
            HelpPage(
                operatedBy: identity.name,
                contact: HelpPage.Contact(identity),
                privacy: identity.privacy.flatMap { PageLink(https: $0) },
                terms: identity.terms.flatMap { PageLink(https: $0) }
            ),
            context
        )
    }

    /// Opens the app without parameters, through its private-use scheme if it has one.
    private static func opening(_ app: Client) -> PageLink? {
        app.redirectURIs.first { $0.kind == .privateUseScheme }
            .flatMap { PageLink(redirect: $0.scheme + ":/") }
    }

    private static func store(_ address: String) -> String {
        if address.hasPrefix("https://apps.apple.com/") { return "App Store" }
        if address.hasPrefix("https://play.google.com/") { return "Google Play" }
        return String(address.dropFirst("https://".count).prefix { $0 != "/" })
    }
}

extension HelpPage.Contact {
    /// - Returns: `nil` if the operator names no contact.
    init?(_ identity: ServiceIdentity) {
        guard let contact = identity.contact else { return nil }
        if let link = PageLink(https: contact) {
            let host = contact.dropFirst("https://".count).prefix { $0 != "/" }
            self = .page(link, host: String(host))
        } else {
            self = .email(contact)
        }
    }
}

extension LocalPath {
    static let login = LocalPath.known("/login")

    /// The welcome, followed by `path`.
    static func welcome(_ path: LocalPath) -> LocalPath {
        let text = FormEncoding.appending(
            [("return_to", path.text)],
            to: SignInPath.onboarding.rawValue
        )
        return LocalPath(text) ?? path
    }
}

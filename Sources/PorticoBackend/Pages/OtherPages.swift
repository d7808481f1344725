import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The welcome, the dashboard, signing out, help, and what stands behind an app's https redirect
/// (pages 6, 11, 15 and 25).
struct OtherPages: Sendable {
    let check: SessionCheck
    let accounts: any AccountStore
    let emails: EmailCodes
    let cookies: SessionCookies
    let directory: BackendDirectory
    let identity: ServiceIdentity
    let exits: BackendExits
    let forms: PageForms

    func root(_ visit: BackendVisit) async throws -> Response {
        try await check.ifAny(visit) == nil
            ? exits.go(to: .login, visit) : exits.go(to: .dashboard, visit)
    }

    func dashboard(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let made = try forms.form(.signOut, "sign out", live.session.id.text, visit)
        return exits.page(
            DashboardPage(
                account: PageAccount(live.account),
                signedInWith: live.providers.first.flatMap { ProviderWays(directory).label($0) },
                form: made.form
            ),
            visit,
            cookies: made.cookies
        )
    }

    func onboarding(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        return try welcomePage(live, [], visit)
    }

    /// `POST /onboarding`: what the person says of themselves becomes their own.
    func welcome(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let form = try await forms.checked("welcome", live.session.id.text, visit)
        let path = LocalPath.asked(form["return_to"])
        var name: String?
        if form["action"] != "later" {
            name = form["name"].map { String(ShownText($0, limit: 100).text) }
            guard let name, !name.allSatisfy(\.isWhitespace) else {
                return try welcomePage(live, [.nameMissing], visit)
            }
        }
        let profile = ProfileChange(
            accountID: live.account.id,
            name: name,
            language: visit.language.tag,
            isWelcomed: true
        )
        guard form["action"] != "later", let email = form["email"] else {
            _ = try await accounts.update(
                live.account.id,
                name: name,
                language: visit.language.tag,
                isWelcomed: true
            )
            return exits.go(to: path, visit)
        }
        guard EmailAddressRule.isAddress(email) else {
            return try welcomePage(live, [.emailWrong], visit)
        }
        // Whoever has an address that nobody vouches for is asked for the code that is mailed there.
        try await emails.start(email, for: live.account, saying: profile, visit)
        return exits.go(to: .addingEmail, visit)
    }

    private func welcomePage(
        _ live: LiveAccountSession,
        _ problems: [WelcomePage.Problem],
        _ visit: BackendVisit
    ) throws -> Response {
        let ways = ProviderWays(directory)
        let made = try forms.form(
            .onboarding,
            "welcome",
            live.session.id.text,
            visit,
            carrying: [PageField("return_to", LocalPath.asked(try visit.query()["return_to"]).text)]
        )
        return exits.page(
            WelcomePage(
                name: live.account.name ?? "",
                email: WelcomePage.Email(live.account.email),
                provider: live.providers.first.flatMap { ways.label($0) }
                    ?? WayLabel(kind: .generic, displayName: identity.name),
                form: made.form,
                problems: problems
            ),
            visit,
            cookies: made.cookies
        )
    }

    // MARK: Signing out

    func askToSignOut(_ visit: BackendVisit) async throws -> Response {
        guard let live = try await check.ifAny(visit) else {
            return exits.page(
                BackendSignedOutPage(outcome: .nobodyWas, signInAgain: PageLink(path: "/login")),
                visit
            )
        }
        let made = try forms.form(.signOut, "sign out", live.session.id.text, visit)
        return exits.page(
            BackendSignOutPage(account: PageAccount(live.account), form: made.form),
            visit,
            cookies: made.cookies
        )
    }

    /// `POST /logout`, of the sign-out page and of page 13.
    func signOut(_ visit: BackendVisit) async throws -> Response {
        guard let live = try await check.ifAny(visit) else {
            return try await askToSignOut(visit)
        }
        let form = try await forms.checked("sign out", live.session.id.text, visit)
        switch form["action"] {
        case "stay": return exits.go(to: .dashboard, visit)
        case "switch": return exits.go(to: .signingIn(backTo: .dashboard), visit)
        case "everywhere":
            _ = try await accounts.endAll(of: live.account.id, except: nil, at: visit.now)
        default:
            _ = try await accounts.end(
                sessionID: live.session.id,
                of: live.account.id,
                at: visit.now
            )
        }
        let names = live.providers.compactMap { ProviderWays(directory).label($0)?.displayName }
        return exits.page(
            BackendSignedOutPage(
                outcome: form["action"] == "everywhere" ? .everywhere : .here,
                stillAt: names,
                signInAgain: PageLink(path: "/login")
            ),
            visit,
            cookies: [cookies.removeSession]
        )
    }

    // MARK: Others

    /// The browser opened an app's https redirect itself, because the app is not there. The code in
    /// the address is the app's alone: nothing reads it here.
    func appDidNotOpen(_ visit: BackendVisit) -> Response {
        let apps = directory.apps.apps
        let app = apps.first { app in
            app.redirectURIs.contains { $0 == exits.page.origin + visit.target.path }
        }
        return exits.page(
            ReturnToAppPage(
                state: .appNotOpened,
                app: app?.displayName ?? identity.name,
                stores: (app?.storeLinks ?? []).compactMap { text in
                    PageLink(https: text).map {
                        ReturnToAppPage.Store(name: Self.store(text), link: $0)
                    }
                }
            ),
            visit
        )
    }

    func help(_ visit: BackendVisit) -> Response {
        exits.page(HelpPage(operatedBy: identity.name, contact: HelpPage.Contact(identity)), visit)
    }

    private static func store(_ address: String) -> String {
        if address.hasPrefix("https://apps.apple.com/") { return "App Store" }
        if address.hasPrefix("https://play.google.com/") { return "Google Play" }
        return String(address.dropFirst("https://".count).prefix { $0 != "/" })
    }
}

extension HelpPage.Contact {
    /// - Returns: `nil` where the operator names nobody.
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

extension WelcomePage.Email {
    init(_ email: AccountEmail?) {
        switch email {
        case let email? where email.isRelay: self = .relay(email.address)
        case let email? where email.isVerified: self = .verified(email.address)
        case let email?: self = .unverified(email.address)
        case nil: self = .missing
        }
    }
}

extension LocalPath {
    static let login = LocalPath.known("/login")
    static let addingEmail = LocalPath.known("/account/email")
}

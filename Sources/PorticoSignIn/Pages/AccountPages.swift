import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
package import PorticoStores
import PorticoWeb

/// The account in the browser: its person, its devices, its data, and deletion. ``DetailsPages`` and
/// ``SignInMethodPages`` have the other pages.
struct AccountPages: Sendable {
    let directory: ProviderDirectory
    let check: SessionCheck
    let departure: AccountDeparture
    let signOut: BrowserSignOut
    let apps: AppSessions
    let data: AccountExport
    let cookies: SessionCookies
    let responder: SignInResponder
    let forms: PageForms

    private var place: SignInPlace { directory.place }

    func overview(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let sessions = try await check.shown(to: live, at: context.now)
        let apps = try await ofApps(live, context)
        let made = try forms.form(.signOut, "sign out", live.session.signIn, context)
        return responder.page(
            AccountOverviewPage(
                account: PageAccount(live.person),
                methods: live.providers.compactMap { SignInMethods(directory).label($0) },
                hasPassword: directory.takesPasswords(at: responder.page.origin)
                    ? try await data.accounts.hasPassword(live.person.id) : false,
                devices: sessions.count + apps.count,
                lastActivity: sessions.map(\.lastSeenAt).max(),
                now: context.now,
                delete: try directory.realm().allowsDeletion
                    ? PageLink(path: place.address(of: .accountDelete)) : nil,
                form: place.signOut == nil ? made.form : nil,
                signOut: place.signOut,
                navigation: responder.navigation
            ),
            context,
            cookies: made.cookies
        )
    }

    func devices(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let sessions = try await check.shown(to: live, at: context.now)
        let own = try await ofApps(live, context)
        let made = try forms.form(.accountDevices, "devices", live.session.signIn, context)
        let status: AccountDevicesPage.Status? =
            switch try context.query()["done"] {
            case "ended": .ended
            case "others": .othersEnded
            default: nil
            }
        return responder.page(
            AccountDevicesPage(
                account: place.isRealm ? PageAccount(live.person) : nil,
                devices: sessions.map { session in
                    AccountDevicesPage.Device(
                        id: session.id,
                        name: session.device,
                        app: appName(of: session),
                        address: session.address,
                        lastSeen: session.lastSeenAt,
                        isThis: session.id == live.session.id
                    )
                } + own.map(AccountDevicesPage.Device.init),
                now: context.now,
                form: made.form,
                status: status,
                signOut: place.signOut,
                navigation: responder.navigation
            ),
            context,
            cookies: made.cookies
        )
    }

    /// Whether a session was there to be ended cannot be read from the answer.
    func signOutDevice(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let form = try forms.checked("devices", live.session.signIn, context)
        guard form["action"] != "end-others" else {
            try await departure.signOutEverywhere(
                live.person.id,
                except: live.session.id,
                at: context.now
            )
            responder.events.signedOut(live, isEverywhere: true, context)
            return responder.go(to: .devices(done: "others"), context)
        }
        var removed: [HTTPField] = []
        if let id = form["id"] {
            if let grantID = AppSessions.grantID(id) {
                let ended = try await apps.end(grantID, of: live.person, at: context.now)
                if let ended { responder.events.appRemoved(ended, live, context) }
            } else if try await departure.signOut(id, of: live.person.id, at: context.now) != nil {
                responder.events.signedOut(live, session: id, context)
                removed = try await signOut.afterEnding(id, of: live, context)
            }
        }
        return responder.go(to: .devices(done: "ended"), context, cookies: removed)
    }

    private func ofApps(_ live: LiveSession, _ context: SignInContext) async throws
        -> [AppSessions.Listed]
    {
        try await apps.list(
            of: live.person,
            notBefore: directory.sessionRule?.notBefore ?? 0,
            at: context.now
        )
    }

    private func appName(of session: PersonSession) -> String? {
        guard case .app(let name, _) = session.form else { return nil }
        return directory.apps[name]?.name ?? name
    }

    // MARK: The person's data

    /// `GET /account/data`: a file for a person who has just proven who they are.
    func download(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        guard live.isProven(at: context.now) else {
            return responder.go(to: .confirming(.downloading, backTo: .data), context)
        }
        return Response(
            json: .object(try await data(live, at: context.now)),
            headers: responder.headers,
            adding: [.contentDisposition: "attachment; filename=\"account.json\""]
        )
    }

    // MARK: Deletion

    func leave(_ context: SignInContext) async throws -> Response {
        try directory.expectDeletion()
        let live = try await check(context)
        return try leavePage(live, wasNotSure: false, context)
    }

    func delete(_ context: SignInContext) async throws -> Response {
        try directory.expectDeletion()
        let form = try forms.ours("delete", context)
        // Sent twice, it is told twice that they are gone.
        return try await forms.once(form, context) {
            let live = try await check(context)
            try forms.check(form, isAbout: live.session.signIn, context)
            return try await delete(live, form, context)
        }
    }

    private func delete(_ live: LiveSession, _ form: FormParameters, _ context: SignInContext)
        async throws -> (Response, isDone: Bool)
    {
        guard form["action"] == "delete" else {
            return (responder.go(to: .account, context), isDone: false)
        }
        guard form["sure"] == "1" else {
            return (try leavePage(live, wasNotSure: true, context), isDone: false)
        }
        guard live.isProven(at: context.now) else {
            let path = LocalPath.confirming(.deleting, backTo: .leaving)
            return (responder.go(to: path, context), isDone: false)
        }
        let report = try await departure.delete(live.person.id, at: context.moment)
        let page = AccountDeletedPage(
            appleLeft: usesApple(live) && report?.areTokensRevoked == false
        )
        let gone = cookies.removal(context.headers)
        return (responder.page(page, context, cookies: gone), isDone: true)
    }

    private func leavePage(
        _ live: LiveSession,
        wasNotSure: Bool,
        _ context: SignInContext
    ) throws -> Response {
        let made = try forms.form(.accountDelete, "delete", live.session.signIn, context)
        return responder.page(
            DeleteAccountPage(
                account: PageAccount(live.person),
                usesApple: usesApple(live),
                form: made.form,
                wasNotSure: wasNotSure,
                navigation: responder.navigation
            ),
            context,
            cookies: made.cookies
        )
    }

    private func usesApple(_ live: LiveSession) -> Bool {
        live.providers.contains { SignInMethods(directory).label($0)?.kind == .apple }
    }
}

extension AccountDevicesPage.Device {
    /// Which device the app is on, no one knows.
    fileprivate init(_ session: AppSessions.Listed) {
        self.init(id: session.formID, name: "", app: session.app, lastSeen: session.lastUsedAt)
    }
}

extension LocalPath {
    static let account = LocalPath.known("/account")
    static let details = LocalPath.known("/account/details")
    static let savedDetails = LocalPath.known("/account/details?saved=1")
    static let leaving = LocalPath.known("/account/delete")
    static let data = LocalPath.known("/account/data")

    static func devices(done: StaticString) -> LocalPath {
        LocalPath("/account/devices?done=\(done)") ?? account
    }
}

extension PageAccount {
    /// People who came by a provider have no user name that they know.
    package init(_ person: Person) {
        let isNamed = person.username != LoginName.folded(person.id)
        let userName = person.email ?? (isNamed ? person.username : person.fullName ?? "")
        self.init(name: person.fullName == userName ? nil : person.fullName, userName: userName)
    }
}

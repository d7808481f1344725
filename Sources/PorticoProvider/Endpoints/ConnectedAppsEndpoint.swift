import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/account/apps`: which apps may act for somebody, and what was allowed is taken
/// back (WCAG 3.3.4, RFC 9700 §4.14.2).
struct ConnectedAppsEndpoint: Sendable {
    let flow: BrowserFlow
    let people: any PersonStore
    let signIn: AccountSignInEndpoint
    let events: SecurityEvents

    func callAsFunction(_ visit: RealmVisit) async throws -> Response {
        try await visit.request.method == .post ? post(visit) : get(visit)
    }

    private func get(_ visit: RealmVisit) async throws -> Response {
        guard let session = try await flow.session(visit) else {
            return try signIn.page(before: .apps, visit)
        }
        return try await page(session, removed: nil, visit)
    }

    private func post(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        guard let session = try await flow.session(visit) else {
            return try signIn.page(before: .apps, visit)
        }
        // What one person sees, nobody removes in another's name.
        let transaction = session.session.id
        try flow.checkForm("connected apps", form["csrf"], transaction: transaction, visit)
        guard form["action"] == "remove", let id = form["id"] else {
            return try await page(session, removed: nil, visit)
        }
        let change = try await people.disconnect(
            id,
            from: session.person.id,
            realmID: visit.realm.realm.id,
            at: visit.now
        )
        let client = visit.realm.client(uuid: id)
        if change == .changed, let client {
            events.disconnected(client, session.person, visit)
        }
        return try await page(session, removed: client?.name, visit)
    }

    private func page(_ session: LiveBrowserSession, removed: String?, _ visit: RealmVisit)
        async throws -> Response
    {
        let apps = try await people.connectedApps(
            of: session.person.id,
            realmID: visit.realm.realm.id,
            at: visit.now
        )
        let browser = VisitCookie(visit, flow)
        let form = PageForm(
            action: AccountPlace.apps.path(visit),
            csrf: flow.tokens.token(
                form: "connected apps",
                transaction: session.session.id,
                cookie: browser.value
            )
        )
        let known = apps.compactMap { app in
            visit.realm.client(uuid: app.clientID).map { ConnectedAppsPage.App(app, $0) }
        }
        return flow.page(
            ConnectedAppsPage(
                account: PageAccount(session.person),
                apps: known.sorted { ($0.name, $0.id) < ($1.name, $1.id) },
                now: visit.now,
                form: form,
                removed: removed,
                signOut: PageLink(
                    path: RealmURLs.path(realmName: visit.realm.realm.name, .endSession)
                ),
                navigation: AccountPlace.navigation(visit)
            ),
            visit.visit,
            cookies: try browser.setting()
        )
    }
}

extension ConnectedAppsPage.App {
    fileprivate init(_ app: ConnectedApp, _ client: Client) {
        self.init(
            id: app.clientID,
            name: client.name,
            scopes: app.scope.tokens,
            allowedAt: app.allowedAt,
            lastUsedAt: app.lastUsedAt
        )
    }
}

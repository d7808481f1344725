import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/account/apps`: lists which apps may act for a person, and revokes what was
/// allowed (WCAG 3.3.4).
struct ConnectedAppsEndpoint: Sendable {
    let access: AccountPageAccess
    let people: PersonStore
    let grants: GrantStore
    let events: SecurityEvents

    func show(_ context: RealmContext) async throws -> Response {
        try await access.enter(context) { session, form in
            guard form?["action"] == "remove", let id = form?["id"] else {
                return try await page(session, removed: nil, context)
            }
            return try await page(session, removed: remove(id, session, context), context)
        }
    }

    /// - Returns: The name of the app, if it is still known.
    private func remove(_ id: String, _ session: LiveSession, _ context: RealmContext)
        async throws -> String?
    {
        let change = try await people.disconnect(
            id,
            from: session.person.id,
            realmID: context.realm.id,
            at: context.now
        )
        let client = try await grants.client(id: id, in: context.realm)
        if let client, change == .changed {
            events.note(
                .consentRemoved,
                context,
                person: session.person.id,
                client: client.clientID
            )
        }
        return client?.listedName
    }

    private func page(
        _ session: LiveSession,
        removed: String?,
        _ context: RealmContext
    ) async throws -> Response {
        let connected = try await people.connectedApps(
            of: session.person.id,
            realmID: context.realm.id,
            notBefore: context.realm.notBefore,
            at: context.now
        )
        var apps: [ConnectedAppsPage.App] = []
        for app in connected {
            let client = try await grants.client(id: app.clientID, in: context.realm)
            if let client { apps.append(ConnectedAppsPage.App(app, client)) }
        }
        apps.sort { ($0.name, $0.id) < ($1.name, $1.id) }
        return try access.page(session, context) { frame in
            ConnectedAppsPage(
                account: frame.account,
                apps: apps,
                now: context.now,
                form: frame.form,
                removed: removed,
                signOut: frame.signOut,
                navigation: frame.navigation
            )
        }
    }
}

extension ConnectedAppsPage.App {
    fileprivate init(_ app: ConnectedApp, _ client: Client) {
        self.init(
            id: app.clientID,
            name: client.listedName,
            scopes: app.scope.tokens,
            allowedAt: app.allowedAt,
            lastUsedAt: app.lastUsedAt
        )
    }
}

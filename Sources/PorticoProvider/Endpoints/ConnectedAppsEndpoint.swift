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
    let documents: DocumentSessions
    let people: PersonStore
    let events: SecurityEvents

    func show(_ context: RealmContext) async throws -> Response {
        try await access.enter(context) { session, form in
            guard form?["action"] == "remove", let id = form?["id"] else {
                return try await page(session, removed: nil, context)
            }
            if let grant = DocumentSessions.grantID(id) {
                let (app, hasOthers) = try await documents.end(grant, of: session.person, context)
                return try await page(
                    session,
                    removed: app,
                    hasOtherSessions: hasOthers,
                    context
                )
            }
            return try await page(session, removed: remove(id, session, context), context)
        }
    }

    /// - Returns: The name of the app, if it is still known.
    private func remove(_ id: String, _ session: LiveBrowserSession, _ context: RealmContext)
        async throws -> String?
    {
        let permitted = try await documents.permissions(of: session.person, context)
            .first { sameBytes($0.id, id) }
        let change = try await people.disconnect(
            id,
            from: session.person.id,
            realmID: context.realm.id,
            at: context.now
        )
        let client = try await context.realm.client(uuid: id)
        guard let clientID = client?.clientID ?? permitted?.clientID else { return nil }
        if change == .changed { events.disconnected(clientID, session.person, context) }
        return client?.name ?? permitted?.name
    }

    private func page(
        _ session: LiveBrowserSession,
        removed: String?,
        hasOtherSessions: Bool = false,
        _ context: RealmContext
    ) async throws -> Response {
        let apps = try await people.connectedApps(
            of: session.person.id,
            realmID: context.realm.id,
            at: context.now
        )
        var known: [ConnectedAppsPage.App] = []
        for app in apps {
            guard let client = try await context.realm.client(uuid: app.clientID) else { continue }
            known.append(ConnectedAppsPage.App(app, client))
        }
        let sessions = try await documents.list(of: session.person, context)
            .map { ConnectedAppsPage.App($0) }
        let permitted = try await documents.permissions(of: session.person, context)
            .map { ConnectedAppsPage.App($0) }
        let documented = sessions + permitted
        return try access.page(session, context) { frame in
            ConnectedAppsPage(
                account: frame.account,
                apps: known.sorted { ($0.name, $0.id) < ($1.name, $1.id) } + documented,
                now: context.now,
                form: frame.form,
                removed: removed,
                hasOtherSessions: hasOtherSessions,
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
            name: client.name,
            scopes: app.scope.tokens,
            allowedAt: app.allowedAt,
            lastUsedAt: app.lastUsedAt
        )
    }

    fileprivate init(_ session: DocumentSession) {
        self.init(
            id: DocumentSessions.formID(session),
            name: session.name,
            scopes: session.scope.tokens,
            allowedAt: session.createdAt,
            lastUsedAt: session.lastUsedAt,
            isSession: true
        )
    }

    fileprivate init(_ permission: DocumentPermission) {
        self.init(
            id: permission.id,
            name: permission.name,
            scopes: permission.scope.tokens,
            allowedAt: permission.allowedAt
        )
    }
}

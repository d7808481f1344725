import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/account/devices`: where a person is signed in at the realm, and signing out
/// those devices (WEB-SESS-7). Sessions that apps have of their own are among them.
struct DevicesEndpoint: Sendable {
    let access: AccountPageAccess
    let sessions: SessionStore
    let apps: AppSessions
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    /// More than anyone reads. "Everywhere else" ends the rest too.
    private static var most: Int { 100 }

    func show(_ context: RealmContext) async throws -> Response {
        try await access.enter(context) { session, form in
            switch form?["action"] {
            case "end-others":
                try await endOthers(than: session, context)
                return try await page(session, status: .othersEnded, context)
            case "end":
                try await end(form?["id"], session, context)
                // The same for every id: the answer does not reveal whether such a session exists.
                return try await page(session, status: .ended, context)
            default:
                return try await page(session, status: nil, context)
            }
        }
    }

    /// Ends another session of the same person; this one is ended by signing out.
    private func end(_ id: String?, _ session: LiveSession, _ context: RealmContext)
        async throws
    {
        guard let id, !sameBytes(id, session.session.id) else { return }
        if let grant = AppSessions.grantID(id) {
            try await apps.end(grant, of: session.person, context)
            return
        }
        let change = try await sessions.end(
            id: id,
            of: session.person.id,
            realmID: context.realm.id,
            at: context.now
        )
        guard change == .changed else { return }
        events.note(.signedOut, context, session: id)
        sessionEnded()
    }

    private func endOthers(than session: LiveSession, _ context: RealmContext) async throws {
        let count = try await sessions.endAll(
            of: session.person.id,
            except: session.session.id,
            realmID: context.realm.id,
            at: context.now
        )
        guard count > 0 else { return }
        events.signedOutElsewhere(session, count, context)
        sessionEnded()
    }

    private func page(
        _ session: LiveSession,
        status: AccountDevicesPage.Status?,
        _ context: RealmContext
    ) async throws -> Response {
        let realm = context.realm.realm
        let others = try await sessions.sessions(
            of: session.person.id,
            realmID: realm.id,
            at: context.now,
            idle: context.realm.sessionIdle,
            limit: Self.most
        ).filter { $0.id != session.session.id && $0.authenticatedAt >= realm.notBefore }
        let apps = try await apps.list(of: session.person, context)
        let devices =
            others.map { AccountDevicesPage.Device($0, seen: $0.lastSeenAt, isThis: false) }
            + apps.map { AccountDevicesPage.Device($0) }
        let this = AccountDevicesPage.Device(session.session, seen: context.now, isThis: true)
        return try access.page(session, context) { frame in
            AccountDevicesPage(
                account: frame.account,
                devices: [this] + devices,
                now: context.now,
                form: frame.form,
                status: status,
                signOut: frame.signOut,
                navigation: frame.navigation
            )
        }
    }
}

extension AccountDevicesPage.Device {
    fileprivate init(_ session: PersonSession, seen: Int64, isThis: Bool) {
        self.init(id: session.id, name: session.device, lastSeen: seen, isThis: isThis)
    }

    /// Which device the app is on, no one knows.
    fileprivate init(_ session: AppSessions.Listed) {
        self.init(id: session.formID, name: "", app: session.app, lastSeen: session.lastUsedAt)
    }
}

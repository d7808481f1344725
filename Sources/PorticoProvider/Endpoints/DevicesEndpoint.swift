import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/account/devices`: where somebody is signed in at the realm, and signing out
/// there (WEB-SESS-7).
struct DevicesEndpoint: Sendable {
    let door: AccountDoor
    let sessions: any BrowserSessionStore
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    /// More than anybody reads through. "Everywhere else" ends the rest, too.
    private static var most: Int { 100 }

    func callAsFunction(_ visit: RealmVisit) async throws -> Response {
        try await door.enter(visit) { session, form in
            switch form?["action"] {
            case "end-others":
                try await endOthers(than: session, visit)
                return try await page(session, status: .othersEnded, visit)
            case "end":
                try await end(form?["id"], session, visit)
                // The same for every id: whether somebody has such a session is not told.
                return try await page(session, status: .ended, visit)
            default:
                return try await page(session, status: nil, visit)
            }
        }
    }

    /// Another session of the same person; this one is ended by signing out.
    private func end(_ id: String?, _ session: LiveBrowserSession, _ visit: RealmVisit)
        async throws
    {
        guard let id, !sameBytes(id, session.session.id) else { return }
        let change = try await sessions.end(
            id: id,
            of: session.person.id,
            realmID: visit.realm.realm.id,
            at: visit.now
        )
        guard change == .changed else { return }
        events.signedOut(id, visit)
        sessionEnded()
    }

    private func endOthers(than session: LiveBrowserSession, _ visit: RealmVisit) async throws {
        let count = try await sessions.endAll(
            of: session.person.id,
            except: session.session.id,
            realmID: visit.realm.realm.id,
            at: visit.now
        )
        guard count > 0 else { return }
        events.signedOutElsewhere(session, count, visit)
        sessionEnded()
    }

    private func page(
        _ session: LiveBrowserSession,
        status: AccountDevicesPage.Status?,
        _ visit: RealmVisit
    ) async throws -> Response {
        let realm = visit.realm.realm
        let others = try await sessions.sessions(
            of: session.person.id,
            realmID: realm.id,
            at: visit.now,
            idle: visit.realm.sessionIdle,
            limit: Self.most
        ).filter { $0.id != session.session.id && $0.authenticatedAt >= realm.notBefore }
        let this = AccountDevicesPage.Device(session.session, seen: visit.now, isThis: true)
        return try door.page(session, visit) { frame in
            AccountDevicesPage(
                account: frame.account,
                devices: [this] + others.map { .init($0, seen: $0.lastSeenAt, isThis: false) },
                now: visit.now,
                form: frame.form,
                status: status,
                signOut: frame.signOut,
                navigation: frame.navigation
            )
        }
    }
}

extension AccountDevicesPage.Device {
    fileprivate init(_ session: BrowserSession, seen: Int64, isThis: Bool) {
        self.init(id: session.id, name: session.device, lastSeen: seen, isThis: isThis)
    }
}

import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The account in the browser: who it is, where it is signed in, and leaving. ``DetailsPages`` and
/// ``WayPages`` have the others.
struct AccountPages: Sendable {
    let directory: BackendDirectory
    let check: SessionCheck
    let accounts: any AccountStore
    let departure: AccountDeparture
    let cookies: SessionCookies
    let exits: BackendExits
    let forms: PageForms

    static let navigation = PageNavigation()

    func overview(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let sessions = try await accounts.shown(to: live, at: visit.now)
        let made = try forms.form(.signOut, "sign out", live.session.id.text, visit)
        return exits.page(
            AccountOverviewPage(
                account: PageAccount(live.account),
                ways: live.providers.compactMap { ProviderWays(directory).label($0) },
                devices: sessions.count,
                lastActivity: sessions.map(\.lastSeenAt).max(),
                now: visit.now,
                delete: PageLink(path: BackendPageRoute.accountDelete.rawValue),
                form: made.form,
                navigation: Self.navigation
            ),
            visit,
            cookies: made.cookies
        )
    }

    func devices(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let sessions = try await accounts.shown(to: live, at: visit.now)
        let made = try forms.form(.accountDevices, "devices", live.session.id.text, visit)
        let status: AccountDevicesPage.Status? =
            switch try visit.query()["done"] {
            case "ended": .ended
            case "others": .othersEnded
            default: nil
            }
        return exits.page(
            AccountDevicesPage(
                devices: sessions.map { session in
                    AccountDevicesPage.Device(
                        id: session.id.text,
                        name: session.device,
                        app: appName(of: session),
                        address: session.address,
                        lastSeen: session.lastSeenAt,
                        isThis: session.id == live.session.id
                    )
                },
                now: visit.now,
                form: made.form,
                status: status,
                navigation: Self.navigation
            ),
            visit,
            cookies: made.cookies
        )
    }

    func signOutDevice(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let form = try await forms.checked("devices", live.session.id.text, visit)
        guard form["action"] != "end-others" else {
            try await departure.signOutEverywhere(
                live.account.id,
                except: live.session.id,
                at: visit.now
            )
            return exits.go(to: .devices(done: "others"), visit)
        }
        if let id = form["id"].flatMap({ UniqueID($0) }) {
            try await departure.signOut(id, of: live.account.id, at: visit.now)
        }
        return exits.go(to: .devices(done: "ended"), visit)
    }

    private func appName(of session: AccountSession) -> String? {
        guard case .app(let name, _) = session.form else { return nil }
        return directory.apps.apps.first { sameBytes($0.name, name) }?.displayName ?? name
    }

    func leave(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        return try leavePage(live, wasNotSure: false, visit)
    }

    func delete(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let form = try await forms.checked("delete", live.session.id.text, visit)
        guard form["action"] == "delete" else { return exits.go(to: .account, visit) }
        guard form["sure"] == "1" else {
            return try leavePage(live, wasNotSure: true, visit)
        }
        guard live.isProven(at: visit.now) else {
            return exits.go(to: .confirming(.deleting, backTo: .leaving), visit)
        }
        let report = try await departure.delete(live.account.id, at: visit.moment)
        return exits.page(
            AccountDeletedPage(
                appleLeft: usesApple(live) && report?.areTokensRevoked == false
            ),
            visit,
            cookies: [cookies.removeSession]
        )
    }

    private func leavePage(
        _ live: LiveAccountSession,
        wasNotSure: Bool,
        _ visit: BackendVisit
    ) throws -> Response {
        let made = try forms.form(.accountDelete, "delete", live.session.id.text, visit)
        return exits.page(
            DeleteAccountPage(
                account: PageAccount(live.account),
                usesApple: usesApple(live),
                form: made.form,
                wasNotSure: wasNotSure,
                navigation: Self.navigation
            ),
            visit,
            cookies: made.cookies
        )
    }

    private func usesApple(_ live: LiveAccountSession) -> Bool {
        live.providers.contains { ProviderWays(directory).label($0)?.kind == .apple }
    }
}

extension LocalPath {
    static let account = LocalPath.known("/account")
    static let details = LocalPath.known("/account/details")
    static let savedDetails = LocalPath.known("/account/details?saved=1")
    static let leaving = LocalPath.known("/account/delete")

    static func devices(done: StaticString) -> LocalPath {
        LocalPath("/account/devices?done=\(done)") ?? account
    }
}

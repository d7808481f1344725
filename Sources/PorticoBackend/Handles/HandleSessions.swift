import PorticoBytes
import PorticoStores
import PorticoWeb

/// The session by handle behind a request, at the addresses for such sessions.
struct HandleSessions: Sendable {
    let directory: BackendDirectory
    let handles: HandleSessionStore
    let activity: SessionActivity<UniqueID>

    /// - Throws: ``HandleSessionCheck/Absence``; `not_found` where sign-in by handle is not
    ///   offered; errors of the store.
    func callAsFunction(_ context: BackendContext) async throws -> HandleSessionCheck.Checked {
        let check = HandleSessionCheck(
            handles: handles,
            cookie: try directory.liveHandles().cookie,
            activity: activity
        )
        let checked = try await check(context.headers, at: context.moment)
        if case .app(let name, _) = checked.session.live.session.form, !directory.apps.has(name) {
            throw HandleSessionCheck.Absence(cause: .expired)
        }
        return checked
    }
}

import HTTPTypes
import PorticoBytes
import PorticoStores
import PorticoWeb

/// The session by handle behind a request, at the addresses for such sessions.
struct HandleSessions: Sendable {
    let directory: BackendDirectory
    let whose: WhoseBrowser

    /// - Throws: ``HandleSessionCheck/Absence``; ``TwoPeople``; `not_found` if sign-in by handle is
    ///   not offered; errors of the store.
    func callAsFunction(_ context: BackendContext) async throws -> HandleSessionCheck.Checked {
        let check = whose.check(try directory.liveHandles())
        let reading =
            context.headers.contains(.authorization)
            ? try await whose.reading(
                of: check.cookie.presented(context.headers, at: context.moment),
                check,
                at: context.now
            )
            : try await whose.onePerson(context).byHandle
        return try await check.checked(reading, at: context.moment)
    }
}

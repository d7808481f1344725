import HTTPTypes
import PorticoBytes
import PorticoStores
import PorticoWeb

/// Signs a browser out: whatever its cookies open ends, whosever it is, so that no one who was told
/// that they are signed out still is (docs/decisions/0091).
struct BrowserSignOut: Sendable {
    let whose: WhoseBrowser
    let departure: AccountDeparture

    /// - Parameters:
    ///   - answer: What the browser has; its first session is that of the person who asks.
    ///   - isEverywhere: Whether all sessions of that person end.
    /// - Returns: Removes the browser's cookies.
    func callAsFunction(
        _ answer: WhoseBrowser.Answer,
        everywhere isEverywhere: Bool = false,
        _ context: BackendContext
    ) async throws -> [HTTPField] {
        // Of several cookies `sid` alone it is unknown whose asks.
        // `try?`: then there is no other.
        let isKnown = (try? answer.own.get()) != nil
        for (place, live) in answer.sessions.enumerated() {
            if isEverywhere, place == 0 || !isKnown {
                try await departure.signOutEverywhere(live.account.id, at: context.now)
            } else {
                try await departure.signOut(live.session.id, of: live.account.id, at: context.now)
            }
        }
        return whose.cookies.removal(context.headers)
    }

    /// What follows where a session of an account has ended: if it was this browser's, everything that
    /// the browser has ends.
    ///
    /// - Returns: Removes its cookies, then.
    func afterEnding(_ id: UniqueID, of live: LiveAccountSession, _ context: BackendContext)
        async throws -> [HTTPField]
    {
        guard id == live.session.id, !context.headers.contains(.authorization) else { return [] }
        return try await self(try await whose.leaving(context), context)
    }
}

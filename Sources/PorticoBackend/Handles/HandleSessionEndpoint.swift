import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET /api/auth/session`, `GET /mobile/refresh-token` and `POST /api/auth/logout`: what apps ask
/// that know nothing but their cookie `sid` (docs/decisions/0063).
///
/// They send no header of ours, so none is asked for: the cookie is `SameSite=Lax`.
struct HandleSessionEndpoint: Sendable {
    let sessions: HandleSessions
    let departure: AccountDeparture
    let signOut: BrowserSignOut
    /// Tells hosts of sessions that are over.
    let revocation: HandleRevocation
    let headers: SecurityHeaders
    /// Ours.
    let origin: String

    /// Who is signed in. The host is not asked.
    func get(_ context: BackendContext) async throws -> Response {
        let checked = try await sessions(context)
        let session = checked.session.handle
        var json: JSONObject = [
            "authenticated": true,
            "did": .string(session.did),
            "handle": .string(session.handle),
            // Some apps decode this one.
            "userHandle": .string(session.handle),
            "scope": .string(session.scope),
        ]
        let missing = session.missingScope
        if !missing.isEmpty { json["missingScope"] = .string(missing.text) }
        return Response(json: .object(json), headers: headers, adding: checked.fields)
    }

    /// The seal to use from now on, for apps that keep it beside their cookies. Tokens of the host
    /// have nothing to do with it.
    func refreshToken(_ context: BackendContext) async throws -> Response {
        let checked = try await sessions(context)
        return Response(
            json: [
                "success": true,
                "payload": [
                    "did": .string(checked.session.handle.did),
                    "sid": .string(checked.seal.reveal()),
                ],
            ],
            headers: headers,
            adding: checked.fields
        )
    }

    /// Ends the session, and of a browser all that it has. It is over when this answers; the host is
    /// told afterwards, in the background. Signing out twice is not an error, but an app must be told
    /// that nothing was ended.
    func logout(_ context: BackendContext) async throws -> Response {
        _ = try sessions.directory.liveHandles()
        let done = Response(json: ["success": true], headers: headers)
        guard context.headers.contains(.authorization) else {
            guard !RequestOrigin.isOtherSite(context.headers, than: origin) else {
                throw BackendError(.forbidden, "The request comes from another site.")
            }
            let answer = try await signOut.whose.leaving(context)
            _ = try await signOut(answer, context)
            for live in answer.sessions { tell(live.session.id) }
            let cookies = signOut.whose.cookies
            let own = cookies.hasSession(context.headers) ? [cookies.removeSession] : []
            let waiting = cookies.removalOfPending(context.headers)
            let removed = [cookies.removeSid] + own + waiting
            return done.adding(removed + SecurityHeaders.dropsPages)
        }
        let session = try await sessions(context).session.live.session
        try await departure.signOut(session.id, of: session.accountID, at: context.now)
        tell(session.id)
        return done.adding([signOut.whose.cookies.removeSid])
    }

    private func tell(_ id: UniqueID) {
        Task { [revocation] in
            // `try?`: the next round, within seconds, tries again.
            try? await revocation.tell(id)
        }
    }
}

extension HandleSession {
    /// What was asked for and not granted, by its exact text (RFC 6749 §3.3).
    fileprivate var missingScope: Scope {
        let granted = tokens(of: scope)
        return Scope(tokens: tokens(of: askedScope).filter { !granted.contains($0) })
    }

    private func tokens(of scope: String) -> [String] {
        scope.split(separator: " ").map(String.init)
    }
}

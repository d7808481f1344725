import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// `GET /api/auth/session`, `GET /mobile/refresh-token` and `POST /api/auth/logout`, for apps that
/// know only their cookie `sid` (docs/decisions/0063).
///
/// Such apps send no `X-Portico`, so none is required: the cookie is `SameSite=Lax`.
struct HandleSessionEndpoint: Sendable {
    let sessions: HandleSessions
    let departure: AccountDeparture
    let signOut: BrowserSignOut
    /// Tells hosts about ended sessions.
    let revocation: HandleRevocation
    let headers: SecurityHeaders
    /// Ours.
    let origin: String

    /// Returns the signed-in person, without asking the host.
    func get(_ context: SignInContext) async throws -> Response {
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

    /// The seal to use from now on, for apps that keep it beside their cookies. It does not depend
    /// on the host's tokens.
    func refreshToken(_ context: SignInContext) async throws -> Response {
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

    /// Ends the session, and everything that a browser has. It has ended when this answers; the host
    /// is told afterwards, in the background. Signing out twice is not an error, but the app must
    /// learn that nothing ended.
    func logout(_ context: SignInContext) async throws -> Response {
        _ = try sessions.directory.liveHandles()
        let done = Response(json: ["success": true], headers: headers)
        guard context.headers.contains(.authorization) else {
            guard !RequestOrigin.isOtherSite(context.headers, than: origin) else {
                throw ServiceError(.forbidden, "The request comes from another site.")
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
        try await departure.signOut(session.id, of: session.personID, at: context.now)
        tell(session.id)
        return done.adding([signOut.whose.cookies.removeSid])
    }

    private func tell(_ id: String) {
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

/// The session by handle behind a request, at the addresses for such sessions.
struct HandleSessions: Sendable {
    let directory: ProviderDirectory
    let whose: WhoseBrowser

    /// - Throws: ``HandleSessionCheck/Absence``; ``TwoPeople``; `not_found` if sign-in by handle is
    ///   not offered; errors of the store.
    func callAsFunction(_ context: SignInContext) async throws -> HandleSessionCheck.Checked {
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

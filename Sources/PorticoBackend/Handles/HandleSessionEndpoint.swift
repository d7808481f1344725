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
    /// Tells hosts of sessions that are over.
    let revocation: HandleRevocation
    /// Of a browser, by its own cookie.
    let browser: SessionCheck
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

    /// Ends the session, and of a browser that of its own cookie, whichever it is: no one who was told
    /// that they are signed out is still signed in. It is over when this answers; the host is told
    /// afterwards, in the background. Signing out twice is not an error.
    func logout(_ context: BackendContext) async throws -> Response {
        let isApp = context.headers[.authorization] != nil
        if !isApp, RequestOrigin.isOtherSite(context.headers, than: origin) {
            throw BackendError(.forbidden, "The request comes from another site.")
        }
        var removed = [try sessions.directory.liveHandles().cookie.remove]
        do {
            try await end(try await sessions(context).session.live.session, context)
        } catch let absence as HandleSessionCheck.Absence {
            // An app must be told that nothing was ended.
            guard !isApp else { throw absence }
        }
        if !isApp, case .hash = browser.cookies.session(context.headers) {
            if let session = try await browser.ifAny(context)?.session {
                try await end(session, context)
            }
            removed.append(browser.cookies.removeSession)
        }
        return Response(json: ["success": true], headers: headers).adding(removed)
    }

    private func end(_ session: AccountSession, _ context: BackendContext) async throws {
        try await departure.signOut(session.id, of: session.accountID, at: context.now)
        Task { [revocation] in
            // `try?`: the next round, within seconds, tries again.
            try? await revocation.tell(session.id)
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

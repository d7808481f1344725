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
    let cookies: SessionCookies
    let headers: SecurityHeaders

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

    /// Ends the session. It is over when this answers; the host is told afterwards, in the
    /// background. Signing out twice is not an error.
    func logout(_ context: BackendContext) async throws -> Response {
        let isApp = context.headers[.authorization] != nil
        if !isApp, RequestOrigin.isOtherSite(context.headers) {
            throw BackendError(.forbidden, "The request comes from another site.")
        }
        var removed = [try sessions.directory.liveHandles().cookie.remove]
        do {
            let session = try await sessions(context).session.live.session
            try await departure.signOut(session.id, of: session.accountID, at: context.now)
            Task { [revocation] in
                // `try?`: the next round, within seconds, tries again.
                try? await revocation.tell(session.id)
            }
            if case .browser(let hash) = session.form,
                case .hash(hash) = cookies.session(context.headers)
            {
                removed.append(cookies.removeSession)
            }
        } catch let absence as HandleSessionCheck.Absence {
            // An app must be told that nothing was ended.
            guard !isApp else { throw absence }
        }
        return Response(json: ["success": true], headers: headers).adding(removed)
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

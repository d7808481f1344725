import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Finds the session of a request: a browser's by cookie, an app's by bearer token.
struct SessionCheck: Sendable {
    let accounts: AccountStore
    let directory: BackendDirectory
    let cookies: SessionCookies
    let ring: KeyRing
    let activity: SessionActivity<UniqueID>

    /// Why there is no session (docs/decisions/0029).
    enum Absence: String, Refusal {
        case noCookie = "NO_COOKIE"
        case invalidCookie = "INVALID_COOKIE"
        case expired = "SESSION_EXPIRED"
        /// There is a session, and no tokens of its host that can be used.
        case unusable = "OAUTH_ERROR"

        var message: String {
            switch self {
            case .noCookie: "The request brings no session."
            case .invalidCookie: "The request brings something that is no session of ours."
            case .expired: "The session has ended."
            case .unusable: "The person's host has to be asked for access again: sign in again."
            }
        }

        var name: String { "unauthorized" }
        var status: HTTPResponse.Status { .unauthorized }

        var json: JSONValue? {
            [
                "authenticated": false,
                "error": "unauthorized",
                "reason": .string(rawValue),
                "message": .string(message),
            ]
        }

        func fields(realm: String) -> HTTPFields { [.wwwAuthenticate: "Bearer"] }
    }

    /// - Throws: ``Absence``, and errors of the store.
    func callAsFunction(_ context: BackendContext) async throws -> LiveAccountSession {
        let live =
            if let authorization = context.headers[values: .authorization].first {
                try await byToken(authorization, context)
            } else {
                try await byCookie(context)
            }
        activity.note(
            live.session.id,
            lastSeenAt: live.session.lastSeenAt,
            at: context.now
        )
        return live
    }

    /// The session of a request that may change something: a cookie counts only if no other site
    /// can have sent the request (WEB-CSRF-4).
    func changer(_ context: BackendContext) async throws -> LiveAccountSession {
        let live = try await self(context)
        if context.headers[.authorization] == nil, !RequestOrigin.permitsChange(context.headers) {
            throw BackendError(.forbidden, "Send the header X-Portico: 1.")
        }
        return live
    }

    /// The session of a page's viewer, or `nil`.
    func ifAny(_ context: BackendContext) async throws -> LiveAccountSession? {
        do {
            return try await self(context)
        } catch is Absence {
            return nil
        }
    }

    private func byCookie(_ context: BackendContext) async throws -> LiveAccountSession {
        switch cookies.session(context.headers) {
        case .none: throw Absence.noCookie
        case .malformed: throw Absence.invalidCookie
        case .hash(let hash):
            guard let live = try await accounts.live(cookie: hash, at: context.now) else {
                throw Absence.expired
            }
            return live
        }
    }

    /// RFC 6750 §2.1: one header, never together with a cookie of another session.
    private func byToken(_ authorization: String, _ context: BackendContext) async throws
        -> LiveAccountSession
    {
        guard context.headers[values: .authorization].count == 1,
            authorization.utf8.count <= 200,
            authorization.lowercased().hasPrefix("bearer "),
            let token = KeyedToken(String(authorization.dropFirst("bearer ".count)), .session)
        else { throw Absence.invalidCookie }
        guard token.number > context.now else { throw Absence.expired }
        guard let live = try await accounts.live(id: token.sessionID, at: context.now) else {
            throw Absence.expired
        }
        guard case .app(let name, let state) = live.session.form,
            token.isGenuine(.session, for: state, ring: ring)
        else { throw Absence.invalidCookie }
        guard directory.apps.has(name) else { throw Absence.expired }
        return live
    }
}

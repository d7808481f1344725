import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
package import PorticoStores
import PorticoWeb

/// Finds the session of a request: a browser's by cookie, an app's by bearer token.
package struct SessionCheck: Sendable {
    let sessions: LiveSessions
    let directory: ProviderDirectory
    let whose: WhoseBrowser
    let ring: KeyRing
    let activity: SessionActivity
    /// Pages are opened by browsers alone, whatever a proxy adds.
    var takesTokens = true
    /// For pages of an account: finds sessions with both steps.
    var whole: WhoseBrowser?
    /// Where they are.
    var origin = ""

    /// Why there is no session (docs/decisions/0029).
    package enum Absence: String, Refusal {
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

    /// - Throws: ``Absence``, ``TwoPeople``, and errors of the store.
    package func callAsFunction(_ context: SignInContext) async throws -> LiveSession {
        let live =
            if takesTokens, let authorization = context.headers[values: .authorization].first {
                try await byToken(authorization, context)
            } else {
                try await byCookie(context)
            }
        note(live, context)
        return live
    }

    private func byCookie(_ context: SignInContext) async throws -> LiveSession {
        guard let whole, directory.wantsBothSteps(at: origin) else {
            return try await whose.onePerson(context).own.get()
        }
        do {
            return try await whole.onePerson(context).own.get()
        } catch Absence.expired {
            _ = try await whose.onePerson(context).own.get()
            throw SecondStepWanted()
        }
    }

    /// The session of any kind, also one that a seal of the cookie `sid` names: by that cookie, or as
    /// a bearer. A team's services ask so who is there.
    ///
    /// - Throws: ``Absence``, ``HandleSessionCheck/Absence``, ``TwoPeople``, and errors of the store.
    package func ofAnyKind(_ context: SignInContext) async throws -> LiveSession {
        guard let handles = directory.handles else { return try await self(context) }
        let check = whose.check(handles)
        if let authorization = context.headers[values: .authorization].first {
            let presented = check.cookie.presented(context.headers, at: context.moment)
            guard case .content = presented else {
                return try await byToken(authorization, context)
            }
            let reading = try await whose.reading(of: presented, check, at: context.now)
            return try await check.noted(reading, at: context.now).session.live
        }
        let answer = try await whose.onePerson(context)
        switch answer.own {
        case .success(let live):
            note(live, context)
            return live
        // A browser whose session is over is told so, whatever else it has.
        case .failure(let absence) where absence != .noCookie: throw absence
        case .failure:
            return try await check.noted(answer.byHandle, at: context.now).session.live
        }
    }

    private func note(_ live: LiveSession, _ context: SignInContext) {
        activity.note(live.session.id, lastSeenAt: live.session.lastSeenAt, at: context.now)
    }

    /// The session of a request that may change something: a cookie counts only if no other site
    /// can have sent the request (WEB-CSRF-4).
    package func changer(_ context: SignInContext) async throws -> LiveSession {
        let live = try await self(context)
        if context.headers[.authorization] == nil, !RequestOrigin.permitsChange(context.headers) {
            throw ServiceError(.forbidden, "Send the header X-Portico: 1.")
        }
        return live
    }

    /// The session of a page's viewer, or `nil`.
    package func ifAny(_ context: SignInContext) async throws -> LiveSession? {
        do {
            return try await self(context)
        } catch is Absence {
            return nil
        } catch is TwoPeople {
            return nil
        }
    }

    /// RFC 6750 §2.1: one header, never together with a cookie of another session.
    private func byToken(_ authorization: String, _ context: SignInContext) async throws
        -> LiveSession
    {
        guard context.headers[values: .authorization].count == 1,
            authorization.utf8.count <= 200,
            let text = AuthorizationField(authorization)?.credentials(of: "bearer"),
            let token = KeyedToken(String(text), .session)
        else { throw Absence.invalidCookie }
        guard token.number > context.now else { throw Absence.expired }
        guard let live = try await sessions.live(id: token.sessionID, at: context.now) else {
            throw Absence.expired
        }
        guard case .app(let name, let state) = live.session.form,
            token.isGenuine(.session, for: state, ring: ring)
        else { throw Absence.invalidCookie }
        guard directory.apps.has(name) else { throw Absence.expired }
        return live
    }
}

/// A provider has signed the person in, and their second step is still to come.
struct SecondStepWanted: Error {}

extension LiveSession {
    /// Whether its person has recently proven who they are, which is required for changing how an
    /// account is reached (WEB-SESS-8).
    package func isProven(at now: Int64) -> Bool { session.isProven(person, at: now) }
}

extension SessionCheck {
    /// More than anyone reads. Each sign-in adds one, and without a limit the page could take
    /// arbitrarily long.
    private static let mostShown = 100

    /// The sessions shown to a person, most recently seen first: the most recent ones if there are
    /// very many, always including the current one. Signing out everywhere else ends the rest too.
    package func shown(to live: LiveSession, at now: Int64) async throws -> [PersonSession] {
        let rule = directory.sessionRule
        let latest = try await sessions.store.sessions(
            of: live.person.id,
            realmID: live.person.realmID,
            at: now,
            idle: rule?.idle ?? 0,
            limit: Self.mostShown
        ).filter { $0.authenticatedAt >= rule?.notBefore ?? 0 }
        guard !latest.contains(where: { $0.id == live.session.id }) else { return latest }
        return latest.prefix(Self.mostShown - 1) + [live.session]
    }
}

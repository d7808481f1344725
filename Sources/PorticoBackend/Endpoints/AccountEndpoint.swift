import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoUpstream
import PorticoWeb
import PorticoSignIn

/// `/v1/account/…`: lets programs show and change a person's account.
struct AccountEndpoint: Sendable {
    let check: SessionCheck
    let accounts: AccountStore
    let directory: ProviderDirectory
    let start: SignInStart
    let departure: AccountDeparture
    let signOut: BrowserSignOut
    let emails: EmailCodes
    let cookies: SessionCookies
    let headers: SecurityHeaders
    /// Five an hour for each account.
    let linkLimit: RateLimiter

    /// The session of a person who has proven in the last ten minutes who they are (WEB-SESS-8).
    private func recent(_ context: SignInContext) async throws -> LiveSession {
        let live = try await check.changer(context)
        guard live.isProven(at: context.now) else {
            throw ServiceError(
                .reauthenticationRequired,
                "Confirm by a mailed code, or a new sign-in, who you are."
            )
        }
        return live
    }

    func get(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let identities = try await accounts.identities(of: live.person.id)
        let sessions = try await check.shown(to: live, at: context.now)
        return Response(
            json: [
                "user": AccountView.user(live),
                "created_at": .integer(live.person.createdAt),
                "last_sign_in_at": .integer(live.person.lastSignInAt ?? live.session.createdAt),
                "language": .string(live.person.language),
                "providers": Self.list(identities),
                "sessions": Self.list(sessions, live),
            ],
            headers: headers
        )
    }

    func sessions(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let sessions = try await check.shown(to: live, at: context.now)
        return Response(json: ["sessions": Self.list(sessions, live)], headers: headers)
    }

    func endSession(_ id: Substring, _ context: SignInContext) async throws -> Response {
        let live = try await check.changer(context)
        let id = String(id)
        guard id.utf8.count <= 255,
            try await departure.signOut(id, of: live.person.id, at: context.now) != nil
        else { throw ServiceError(.notFound, "There is no session of that id.") }
        return Response(json: ["success": true], headers: headers)
            .adding(try await signOut.afterEnding(id, of: live, context))
    }

    func providers(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let identities = try await accounts.identities(of: live.person.id)
        return Response(json: ["providers": Self.list(identities)], headers: headers)
    }

    /// Begins linking a second identity, in the browser that has the session.
    func link(_ name: Substring, _ context: SignInContext) async throws -> Response {
        guard let provider = directory.provider(named: name) else {
            throw ServiceError(.invalidProvider, "There is no provider of that name.")
        }
        let live = try await recent(context)
        if case .wait(let seconds) = linkLimit.take(
            LimitKey("link", live.person.id),
            at: context.moment.now
        ) {
            throw ServiceError(.rateLimited, "Too many links were begun.", retryAfter: seconds)
        }
        let signInReturn = SignInReturn(
            provider: provider.name,
            destination: .link(sessionID: live.session.id, .ways)
        )
        let started: SignInStart.Started
        do {
            started = try await start(
                at: provider,
                backTo: signInReturn,
                .reauthentication,
                context
            )
        } catch let error as SignInError {
            throw ServiceError(starting: error)
        }
        return Response(
            json: [
                "provider": .string(provider.name),
                "authorizationUrl": .string(started.address),
                "state": .string(started.state),
            ],
            headers: headers
        ).adding(started.cookies)
    }

    func unlink(_ name: Substring, _ context: SignInContext) async throws -> Response {
        let live = try await recent(context)
        switch try await departure.unlink(String(name), from: live.person, context) {
        case .unlinked: return Response(json: ["success": true], headers: headers)
        case .lastOne:
            throw ServiceError(.lastWay, "The last way to sign in cannot be removed.")
        case .notFound:
            throw ServiceError(.notFound, "The account has no identity at that provider.")
        }
    }

    func delete(_ context: SignInContext) async throws -> Response {
        try directory.expectDeletion()
        let live = try await recent(context)
        // Another request may have deleted it at the same time: it is gone in any case.
        let report = try await departure.delete(live.person.id, at: context.moment)
        return Response(
            json: [
                "success": true,
                "provider_tokens_revoked": .bool(report?.areTokensRevoked ?? true),
            ],
            headers: headers
        ).adding(cookies.removal(context.headers))
    }

    func setEmail(_ context: SignInContext) async throws -> Response {
        let live = try await recent(context)
        let body = try BodyParameters(context)
        try await emails.start(try body.required("email"), for: live.person, context)
        return Response(
            json: ["success": true, "expires_in": .integer(EmailCodes.lifetime)],
            headers: headers
        )
    }

    func confirmEmail(_ context: SignInContext) async throws -> Response {
        let live = try await check.changer(context)
        let body = try BodyParameters(context)
        switch try await emails.confirm(try body.required("code"), for: live.person, context) {
        case .confirmed: return Response(json: ["success": true], headers: headers)
        case .taken:
            throw ServiceError(.conflict, "The address belongs to another account.")
        case .wrong, .expired, .unknown, .spent, .blocked, .secondOfProvider:
            throw ServiceError(.invalidGrant, "The code is wrong, used or expired.")
        }
    }

    private static func list(_ identities: [Identity]) -> JSONValue {
        .array(identities.enumerated().map { AccountView.identity($1, isPrimary: $0 == 0) })
    }

    private static func list(_ sessions: [PersonSession], _ live: LiveSession)
        -> JSONValue
    {
        .array(sessions.map { AccountView.listed($0, isThis: $0.id == live.session.id) })
    }
}

/// `/v1/account/reauthentication`: for a program that got `reauthentication_required` (WEB-SESS-8)
/// when the person's provider cannot be made to ask.
struct ReauthenticationEndpoint: Sendable {
    let check: SessionCheck
    let emails: EmailCodes
    let cookies: SessionCookies
    let headers: SecurityHeaders

    /// Emails a code to the account's address.
    func start(_ context: SignInContext) async throws -> Response {
        try await emails.start(proving: try await check.changer(context), context)
        return Response(
            json: ["success": true, "expires_in": .integer(EmailCodes.lifetime)],
            headers: headers
        )
    }

    /// Proves the session that presents the code; a browser's session gets a new cookie.
    func confirm(_ context: SignInContext) async throws -> Response {
        let live = try await check.changer(context)
        let body = try BodyParameters(context)
        let code = try body.required("code")
        let (outcome, fields) = try await emails.prove(code, live, cookies, context)
        guard case .confirmed = outcome else {
            throw ServiceError(.invalidGrant, "The code is wrong, used or expired.")
        }
        return Response(json: ["success": true], headers: headers).adding(fields)
    }
}

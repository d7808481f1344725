import HTTPTypes
import PorticoATProtocol
package import PorticoBytes
import PorticoProtocol
package import PorticoSeals
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// Makes the session of a person who came back from their host, in one transaction
/// (docs/decisions/0062).
struct HandleCompletion: Sendable {
    let complete: SignInCompletion
    let clock: Clock
    let pages: HandlePages

    func callAsFunction(
        _ proven: HandleRedemption.Proven,
        of attempt: HandleAttempt,
        to signInReturn: SignInReturn,
        _ live: HandleDirectory.Live,
        _ context: SignInContext
    ) async throws -> Response {
        do {
            return try await begin(proven, of: attempt, to: signInReturn, live, context)
        } catch {
            // Nothing was stored: the tokens will never be used.
            proven.taking(proven.tokens)
            throw error
        }
    }

    private func begin(
        _ proven: HandleRedemption.Proven,
        of attempt: HandleAttempt,
        to signInReturn: SignInReturn,
        _ live: HandleDirectory.Live,
        _ context: SignInContext
    ) async throws -> Response {
        let did = proven.identity.did.text
        // The handle that the account confirms, not the one that was typed (ATP-M-4).
        let handle = proven.identity.handle?.text
        let subject = SignInCompletion.Subject(
            identity: Identity(
                key: IdentityKey(issuer: HandleProvider.kind, subject: did),
                provider: HandleProvider.kind,
                email: nil,
                linkedAt: context.now,
                lastUsedAt: context.now,
                sealedToken: nil
            ),
            name: handle,
            picture: nil,
            providerSessionID: nil,
            provenAt: nil
        )
        var draft = try await complete.session(for: signInReturn, subject, context)
        var life = SessionCookies.plain
        if case .web(_, isRemembered: false) = signInReturn.destination {
            // As with every other sign-in method: a day.
        } else {
            life = live.cookie.life
            draft.session.idleSeconds = life
            draft.session.expiresAt = context.now + HandleSessionCheck.longest
        }
        let seal = try live.cookie.seal(of: draft.session.id, did, at: context.moment)
        let shown = Shown(
            did: did,
            handle: handle ?? Handle.invalid,
            seal: seal,
            cookie: try live.cookie.set(seal, for: life)
        )
        var event = try complete.event(
            subject,
            draft.session,
            .never,
            [.attempt(attempt.id, at: context.now)],
            context
        )
        event.handleSession = session(proven, shown, attempt, draft.session.id, live, context)
        switch try await complete.accounts.signIn(event, at: context.now) {
        case .signedIn(let account, let isNew):
            return try completed(account, isNew, draft, shown, attempt, signInReturn, context)
        case .blocked:
            return refused(.init(.accountBlocked, .blocked), proven, signInReturn, context)
        case .signUpClosed:
            return refused(.init(.signUpClosed, .closed), proven, signInReturn, context)
        case .spent, .matches:
            return refused(.init(.invalidState, .unknown), proven, signInReturn, context)
        }
    }

    /// The content of the answer.
    private struct Shown {
        let did: String
        let handle: String
        let seal: String
        let cookie: HTTPField
    }

    private func session(
        _ proven: HandleRedemption.Proven,
        _ shown: Shown,
        _ attempt: HandleAttempt,
        _ id: String,
        _ live: HandleDirectory.Live,
        _ context: SignInContext
    ) -> NewHandleSession {
        let tokens = HandleTokenVault.Tokens(
            access: proven.tokens.access,
            refresh: proven.tokens.refresh,
            key: attempt.key
        )
        // From the answer on, which may have taken long.
        let now = clock.moment().seconds
        return NewHandleSession(
            did: shown.did,
            handle: shown.handle,
            host: proven.identity.host.text,
            issuer: proven.issuer.text,
            clientID: proven.client.clientID,
            clientKeyID: proven.client.key?.keyID,
            askedScope: live.provider.asked(at: attempt.askedAt).text,
            scope: proven.tokens.scope.text,
            sealed: HandleTokenVault(ring: complete.ring).seal(
                tokens,
                for: id,
                random: context.moment.random
            ),
            accessExpiresAt: proven.tokens.expiresIn.map { now + max(0, min($0, 1 << 40)) }
        )
    }

    private func refused(
        _ failure: SignInFailure,
        _ proven: HandleRedemption.Proven,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) -> Response {
        proven.taking(proven.tokens)
        return pages.responder.failed(failure, signInReturn, context)
    }

    private func completed(
        _ account: Person,
        _ isNew: Bool,
        _ draft: SignInCompletion.Draft,
        _ shown: Shown,
        _ attempt: HandleAttempt,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) throws -> Response {
        if case (.app(let target), .state) = (signInReturn.destination, draft.secret) {
            return inRedirect(shown, target, context)
        }
        let completed = try complete.completed(account, isNew: isNew, draft, signInReturn, context)
        guard case .inBrowser(_, _, let path, var cookies) = completed else {
            return pages.responder.completed(completed, signInReturn, context)
        }
        cookies.append(shown.cookie)
        cookies += complete.cookies.removal(after: path, context.headers)
        if attempt.isPopup {
            return pages.popup(shown.did, shown.handle, then: path, cookies: cookies, context)
        }
        return found(pages.responder.go(to: path, context, cookies: cookies))
    }

    /// At once and in one address, as migrated apps expect it (ATP-M-3): a compatibility mode
    /// (docs/decisions/0013).
    private func inRedirect(_ shown: Shown, _ target: AppTarget, _ context: SignInContext)
        -> Response
    {
        var parameters = [
            ("session_token", shown.seal), ("did", shown.did), ("handle", shown.handle),
        ]
        if let state = target.state { parameters.append(("state", state)) }
        var location = Array(target.redirectURI.utf8)
        var separator = location.contains(UInt8(ascii: "?")) ? "&" : "?"
        for (name, value) in parameters {
            location += Array("\(separator)\(name)=".utf8)
            FormEncoding.appendAsBrowsers(value.utf8, to: &location)
            separator = "&"
        }
        let text = String(decoding: location, as: UTF8.self)
        // The session belongs to the app alone: a cookie would give it to this browser too.
        return found(pages.responder.redirect(text))
    }

    private func found(_ response: Response) -> Response {
        var response = response
        response.status = .found
        return response
    }
}

extension SidCookie {
    /// A new seal of a session that has just begun, or was just handed over.
    package func seal(of id: String, _ did: String, at moment: Moment) throws(IronError) -> String {
        let now = moment.seconds * 1000
        return try seal(
            Content(did: did, createdAt: now, lastAccessed: now, session: id),
            at: moment
        )
    }
}

import HTTPTypes
import PorticoBytes
import PorticoStores
import PorticoWeb

/// Signs a person in, in the browser where they authenticated, with new cookies throughout: no
/// cookie from before a sign-in is valid after it (WEB-SESS-1).
struct BrowserSignIn: Sendable {
    let flow: BrowserFlow
    let start: SessionStart
    let events: SecurityEvents

    struct Begun: Sendable {
        let live: LiveSession
        /// The new value of the form cookie.
        let browser: String
        /// To be set with any answer: the earlier cookies are no longer valid.
        var cookies: [HTTPField]
    }

    /// - Throws: ``CodeSpent``.
    func callAsFunction(
        _ credentials: PersonCredentials,
        _ rehashed: PasswordHash?,
        spending use: CredentialUse?,
        _ context: RealmContext
    ) async throws -> Begun {
        let person = credentials.person
        let cookies = flow.cookies(of: context)
        let (session, cookie, ended) = try await start(
            credentials,
            rehashed: rehashed,
            spending: use,
            in: context.realm,
            replacing: cookies.sessionHash(context.headers),
            device: DeviceName.of(context.headers[.userAgent]),
            at: context.moment
        )
        return try begun(
            LiveSession(session: session, person: person),
            cookie: cookie,
            ended: ended,
            context
        )
    }

    /// The same session, whose person a provider has proven, after its second step.
    ///
    /// - Returns: `nil` where it has ended meanwhile.
    /// - Throws: ``CodeSpent``.
    func callAsFunction(_ first: LiveSession, spending use: CredentialUse, _ context: RealmContext)
        async throws -> Begun?
    {
        guard let old = first.session.cookieHash else { return nil }
        let cookie = context.moment.random.text(32)
        var live = first
        live.session.form = .browser(cookieHash: Hash256(of: cookie))
        live.session.amr.append("otp")
        let outcome = try await start.sessions.addSecondStep(
            to: live.session.id,
            cookie: Hash256(of: cookie),
            replacing: old,
            spending: use,
            at: context.now
        )
        switch outcome {
        case .taken: return try begun(live, cookie: cookie, ended: nil, context)
        case .codeSpent: throw CodeSpent()
        case .sessionEnded: return nil
        }
    }

    /// - Parameters:
    ///   - cookie: The session's.
    ///   - ended: The `sid` of another person's session that it has ended.
    func begun(
        _ live: LiveSession,
        cookie: String,
        ended: String?,
        _ context: RealmContext
    ) throws -> Begun {
        if let ended { events.note(.signedOut, context, session: ended) }
        let cookies = flow.cookies(of: context)
        let browser = FormToken.cookie(random: context.moment.random)
        var changed = [
            try cookies.setSession(cookie, for: live.session.idleSeconds),
            try flow.formCookie(context).set(browser),
        ]
        if ended != nil { changed += SecurityHeaders.dropsPages }
        // Other tabs have forms of before.
        if let old = flow.formCookie(context).value(context.headers) {
            let former = FormerBrowser(ring: flow.ring, realmID: context.realm.id)
                .adding(old, to: flow.former(context), beside: live.session.id, at: context.moment)
            changed.append(try cookies.setFormer(former))
        }
        let device = KnownDevice(ring: flow.ring, realmID: context.realm.id)
            .adding(live.person.id, to: flow.knownPeople(context), at: context.moment)
        return Begun(
            live: live,
            browser: browser,
            cookies: changed + [try cookies.setDevice(device)]
        )
    }

    /// The same session once more, for a form that began it a moment ago (``SentForms``): the browser may
    /// not have kept the first answer's cookies.
    ///
    /// - Returns: `nil` where it is over.
    func again(_ sessionID: String, _ context: RealmContext) async throws -> Begun? {
        let own = try await flow.session(context)
        if let own, sameBytes(own.session.id, sessionID) {
            return Begun(live: own, browser: try flow.browser(context).value, cookies: [])
        }
        guard
            let live = try await flow.loginTokens.session(
                sessionID,
                in: context.realm,
                at: context.moment
            )
        else { return nil }
        // The first form was the proof.
        let cookie = context.moment.random.text(32)
        var session = live.session
        session.form = .browser(cookieHash: Hash256(of: cookie))
        session.lastSeenAt = context.now
        let beginning = try await start.sessions.start(
            session,
            replacing: live.session.cookieHash,
            upgrading: nil
        )
        let (kept, ended) = try start.settle(session, beginning)
        return try begun(
            LiveSession(session: kept, person: live.person),
            cookie: cookie,
            ended: ended,
            context
        )
    }
}

extension BrowserFlow {
    /// The people who have signed in from this browser before.
    func knownPeople(_ context: RealmContext) -> [KnownDevice.Person] {
        KnownDevice(ring: ring, realmID: context.realm.id)
            .people(cookies(of: context).device(context.headers), at: context.moment)
    }
}

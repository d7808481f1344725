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
        let live: LiveBrowserSession
        /// The new value of the form cookie.
        let browser: String
        /// To be set with any answer: the earlier cookies are no longer valid.
        let cookies: [HTTPField]
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
            LiveBrowserSession(session: session, person: person),
            cookie: cookie,
            ended: ended,
            context
        )
    }

    /// - Parameters:
    ///   - cookie: The session's.
    ///   - ended: The `sid` of another person's session that it has ended.
    func begun(
        _ live: LiveBrowserSession,
        cookie: String,
        ended: String?,
        _ context: RealmContext
    ) throws -> Begun {
        if let ended { events.signedOut(ended, context) }
        let cookies = flow.cookies(of: context)
        let browser = FormToken.cookie(random: context.moment.random)
        let device = KnownDevice(ring: flow.ring, realmID: context.realm.id)
            .adding(live.person.id, to: flow.knownPeople(context), at: context.moment)
        return Begun(
            live: live,
            browser: browser,
            cookies: [
                try cookies.setSession(cookie), try flow.formCookie(context).set(browser),
                try cookies.setDevice(device),
            ]
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

import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoStores
import PorticoWeb

/// Signs a person in, in the browser where they proved who they are: with new cookies throughout,
/// because no value from before a sign-in is worth anything after it (WEB-SESS-1).
struct BrowserSignIn: Sendable {
    let flow: BrowserFlow
    let start: SessionStart
    let events: SecurityEvents

    struct Begun: Sendable {
        let live: LiveBrowserSession
        /// The new value of the visit cookie.
        let browser: String
        /// To be set with whatever is answered: those from before are worth nothing any more.
        let cookies: [HTTPField]
    }

    func callAsFunction(
        _ credentials: PersonCredentials,
        _ rehashed: PasswordHash?,
        _ visit: RealmVisit
    ) async throws -> Begun {
        let person = credentials.person
        let cookies = flow.cookies(of: visit)
        let (session, cookie, ended) = try await start(
            credentials,
            rehashed: rehashed,
            in: visit.realm,
            replacing: cookies.sessionHash(visit.request.headers),
            device: DeviceName.of(visit.request.headers[.userAgent]),
            at: visit.moment
        )
        if let ended { events.signedOut(ended, visit) }
        let browser = FormToken.cookie(random: visit.moment.random)
        let device = KnownDevice(ring: flow.ring, realmID: visit.realm.realm.id)
            .adding(person.id, to: flow.knownPeople(visit), at: visit.moment)
        return Begun(
            live: LiveBrowserSession(session: session, person: person),
            browser: browser,
            cookies: [
                try cookies.setSession(cookie), try cookies.setVisit(browser),
                try cookies.setDevice(device),
            ]
        )
    }
}

extension BrowserFlow {
    /// Who has signed in from this browser before.
    func knownPeople(_ visit: RealmVisit) -> [KnownDevice.Person] {
        KnownDevice(ring: ring, realmID: visit.realm.realm.id)
            .people(cookies(of: visit).device(visit.request.headers), at: visit.moment)
    }
}

import HTTPTypes
import PorticoBytes
import PorticoStores
import PorticoWeb

/// The BFF's own cookies besides those of attempts (docs/decisions/0029; WEB-COOKIE-8).
struct SessionCookies: Sendable {
    private let policy: CookiePolicy

    /// How many seconds a session lasts in a browser, and in one that is remembered.
    static let plain: Int64 = 86_400
    static let remembered: Int64 = 30 * 86_400

    init(_ policy: CookiePolicy) {
        self.policy = policy
    }

    private static let device = CookieName("device", "app")
    private static let last = CookieName("last", "app")

    enum Presented: Sendable {
        case none
        /// Not made by this server, or present twice.
        case malformed
        case hash(Hash256)
    }

    /// The session cookie of a request. Two with one name are an attack (WEB-COOKIE-7).
    func session(_ headers: HTTPFields) -> Presented {
        guard let value = policy.value(of: CookieName.session, in: headers) else {
            return policy.isPresent(CookieName.session, in: headers) ? .malformed : .none
        }
        return value.utf8.count == 43 ? .hash(Hash256(of: value)) : .malformed
    }

    /// The session that an answer of ours gives a browser its cookie of.
    func session(setBy headers: HTTPFields) -> Hash256? {
        policy.value(of: CookieName.session, setBy: headers).map { Hash256(of: $0) }
    }

    /// Whether a request has a session cookie, of whatever value.
    func hasSession(_ headers: HTTPFields) -> Bool {
        policy.isPresent(CookieName.session, in: headers)
    }

    func setSession(_ value: String, isRemembered: Bool) throws -> HTTPField {
        try policy.set(
            CookieName.session,
            to: value,
            for: Int(isRemembered ? Self.remembered : Self.plain)
        )
    }

    var removeSession: HTTPField { policy.remove(CookieName.session) }

    var removeSid: HTTPField { policy.remove(SidCookie.name) }

    /// Removes `sid`, if the browser has one: a person has just signed in otherwise.
    func removalOfSid(_ headers: HTTPFields) -> [HTTPField] {
        policy.isPresent(SidCookie.name, in: headers) ? [removeSid] : []
    }

    /// Removes the identity that waits for a decision, if the browser has one: an earlier person in it
    /// proved that (``PendingIdentity``).
    func removalOfPending(_ headers: HTTPFields) -> [HTTPField] {
        policy.isPresent(PendingCookie.name, in: headers) ? [policy.remove(PendingCookie.name)] : []
    }

    /// For a browser in which a person has just signed in: what was someone else's, or may have been, also
    /// the pages that it kept of an earlier session.
    ///
    /// - Parameter path: Where they go next. An identity waits for the sign-in that its own page asked for.
    func removal(after path: LocalPath, _ headers: HTTPFields) -> [HTTPField] {
        let waiting = path.isOfJoining ? [] : removalOfPending(headers)
        let hadSession = hasSession(headers) || policy.isPresent(SidCookie.name, in: headers)
        return hadSession ? waiting + SecurityHeaders.dropsPages : waiting
    }

    /// For a browser that has signed out: `sid` too, if it has one, and an identity that waits.
    func removal(_ headers: HTTPFields) -> [HTTPField] {
        let sessions = [removeSession] + removalOfSid(headers)
        return sessions + removalOfPending(headers) + SecurityHeaders.dropsPages
    }

    /// The cookie that forms are bound to.
    var form: FormCookie { FormCookie(policy, of: "app") }

    /// Who has signed in from this browser, sealed: ``KnownDevice``.
    func device(_ headers: HTTPFields) -> String? {
        policy.value(of: Self.device, in: headers)
    }

    func setDevice(_ value: String) throws -> HTTPField {
        try policy.set(Self.device, to: value, for: KnownDevice.lifetime)
    }

    /// The provider last used in this browser.
    func lastProvider(_ headers: HTTPFields) -> String? {
        policy.value(of: Self.last, in: headers).flatMap { $0.utf8.count <= 64 ? $0 : nil }
    }

    func setLastProvider(_ name: String) throws -> HTTPField {
        try policy.set(Self.last, to: name, for: KnownDevice.lifetime)
    }
}

/// Signs a browser out: whatever its cookies open ends, whosever it is, so that no one who was told
/// that they are signed out still is (docs/decisions/0091).
struct BrowserSignOut: Sendable {
    let whose: WhoseBrowser
    let departure: AccountDeparture

    /// - Parameters:
    ///   - answer: What the browser has; its first session is that of the person who asks.
    ///   - isEverywhere: Whether all sessions of that person end.
    /// - Returns: Removes the browser's cookies.
    func callAsFunction(
        _ answer: WhoseBrowser.Answer,
        everywhere isEverywhere: Bool = false,
        _ context: BackendContext
    ) async throws -> [HTTPField] {
        // Of several cookies `sid` alone it is unknown whose asks.
        // `try?`: then there is no other.
        let isKnown = (try? answer.own.get()) != nil
        for (place, live) in answer.sessions.enumerated() {
            if isEverywhere, place == 0 || !isKnown {
                try await departure.signOutEverywhere(live.person.id, at: context.now)
            } else {
                try await departure.signOut(live.session.id, of: live.person.id, at: context.now)
            }
        }
        return whose.cookies.removal(context.headers)
    }

    /// What follows where a session of an account has ended: if it was this browser's, everything that
    /// the browser has ends.
    ///
    /// - Returns: Removes its cookies, then.
    func afterEnding(_ id: String, of live: LiveSession, _ context: BackendContext)
        async throws -> [HTTPField]
    {
        guard id == live.session.id, !context.headers.contains(.authorization) else { return [] }
        return try await self(try await whose.leaving(context), context)
    }
}

package import HTTPTypes
import PorticoBytes
package import PorticoStores
package import PorticoWeb

/// The cookies of one place (``SignInPlace``) besides those of attempts (docs/decisions/0029; WEB-COOKIE-8).
package struct SessionCookies: Sendable {
    private let policy: CookiePolicy
    private let place: SignInPlace
    private let session: CookieName

    /// How many seconds a session lasts in a browser, and in one that is remembered.
    package static let plain: Int64 = 86_400
    static let remembered: Int64 = 30 * 86_400

    init(_ policy: CookiePolicy, of place: SignInPlace) {
        self.policy = policy
        self.place = place
        session = place.session
    }

    private var device: CookieName { CookieName("device", place.cookieOwner) }
    private var last: CookieName { CookieName("last", place.cookieOwner) }

    enum Presented: Sendable {
        case none
        /// Not made by this server, or present twice.
        case malformed
        case hash(Hash256)
    }

    /// The session cookie of a request. Two with one name are an attack (WEB-COOKIE-7).
    func session(_ headers: HTTPFields) -> Presented {
        guard let value = policy.value(of: session, in: headers) else {
            return policy.isPresent(session, in: headers) ? .malformed : .none
        }
        return value.utf8.count == 43 ? .hash(Hash256(of: value)) : .malformed
    }

    /// The session that an answer of ours gives a browser its cookie of.
    func session(setBy headers: HTTPFields) -> Hash256? {
        policy.value(of: session, setBy: headers).map { Hash256(of: $0) }
    }

    /// Whether a request has a session cookie, of whatever value.
    package func hasSession(_ headers: HTTPFields) -> Bool {
        policy.isPresent(session, in: headers)
    }

    /// - Parameter seconds: The session's own limit; `nil`: until the browser is closed.
    func setSession(_ value: String, for seconds: Int64?) throws -> HTTPField {
        try policy.set(session, to: value, for: seconds.map { Int($0) })
    }

    package var removeSession: HTTPField { policy.remove(session) }

    package var removeSid: HTTPField { policy.remove(SidCookie.name) }

    /// Removes `sid`, if the browser has one: a person has just signed in otherwise.
    func removalOfSid(_ headers: HTTPFields) -> [HTTPField] {
        hasSid(headers) ? [removeSid] : []
    }

    /// Realms have none.
    private func hasSid(_ headers: HTTPFields) -> Bool {
        !place.isRealm && policy.isPresent(SidCookie.name, in: headers)
    }

    /// Removes the identity that waits for a decision, if the browser has one: an earlier person in it
    /// proved that (``PendingIdentity``).
    package func removalOfPending(_ headers: HTTPFields) -> [HTTPField] {
        policy.isPresent(place.pending, in: headers) ? [policy.remove(place.pending)] : []
    }

    /// For a browser in which a person has just signed in: what was someone else's, or may have been, also
    /// the pages that it kept of an earlier session.
    ///
    /// - Parameter path: Where they go next. An identity waits for the sign-in that its own page asked for.
    package func removal(after path: LocalPath, _ headers: HTTPFields) -> [HTTPField] {
        let waiting = path.isOfJoining ? [] : removalOfPending(headers)
        let hadSession = hasSession(headers) || hasSid(headers)
        return hadSession ? waiting + SecurityHeaders.dropsPages : waiting
    }

    /// For a browser that has signed out: `sid` too, if it has one, and an identity that waits.
    package func removal(_ headers: HTTPFields) -> [HTTPField] {
        let sessions = [removeSession] + removalOfSid(headers)
        return sessions + removalOfPending(headers) + SecurityHeaders.dropsPages
    }

    /// The cookie that forms are bound to.
    package var form: FormCookie { FormCookie(policy, of: place.cookieOwner) }

    /// Who has signed in from this browser, sealed: ``KnownDevice``.
    func device(_ headers: HTTPFields) -> String? {
        policy.value(of: device, in: headers)
    }

    func setDevice(_ value: String) throws -> HTTPField {
        try policy.set(device, to: value, for: KnownDevice.lifetime)
    }

    /// The provider last used in this browser.
    package func lastProvider(_ headers: HTTPFields) -> String? {
        policy.value(of: last, in: headers).flatMap { $0.utf8.count <= 64 ? $0 : nil }
    }

    func setLastProvider(_ name: String) throws -> HTTPField {
        try policy.set(last, to: name, for: KnownDevice.lifetime)
    }
}

/// Signs a browser out: whatever its cookies open ends, whosever it is, so that no one who was told
/// that they are signed out still is (docs/decisions/0091).
package struct BrowserSignOut: Sendable {
    package let whose: WhoseBrowser
    let departure: AccountDeparture

    /// - Parameters:
    ///   - answer: What the browser has; its first session is that of the person who asks.
    ///   - isEverywhere: Whether all sessions of that person end.
    /// - Returns: Removes the browser's cookies.
    package func callAsFunction(
        _ answer: WhoseBrowser.Answer,
        everywhere isEverywhere: Bool = false,
        _ context: SignInContext
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
    package func afterEnding(_ id: String, of live: LiveSession, _ context: SignInContext)
        async throws -> [HTTPField]
    {
        guard id == live.session.id, !context.headers.contains(.authorization) else { return [] }
        return try await self(try await whose.leaving(context), context)
    }
}

import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
package import PorticoStores
import PorticoWeb

/// Whose is this browser? Reads both session cookies of a request: every check by cookie, every
/// sign-in in a browser and every sign-out goes through it (docs/decisions/0091).
package struct WhoseBrowser: Sendable {
    let sessions: LiveSessions
    let handles: HandleSessionStore
    let directory: ProviderDirectory
    package let cookies: SessionCookies
    let activity: SessionActivity

    /// What the cookies of a request open. A browser without cookies opens nothing.
    package struct Answer: Sendable {
        /// By the session cookie.
        var own: Result<LiveSession, SessionCheck.Absence>
        /// By `sid`.
        package var byHandle: HandleSessionCheck.Reading
        /// By each of several cookies `sid`, where a sign-out asks.
        var together: [LiveSession] = []

        /// Each session once, that of the session cookie first.
        package var sessions: [LiveSession] {
            // `try?`: without a session there is none to name.
            let own = try? own.get()
            let all = [own, byHandle.session?.live].compactMap(\.self) + together
            var known: Set<String> = []
            return all.filter { known.insert($0.session.id).inserted }
        }

        /// Whether they are of two people: which of them is there cannot be known.
        var isOfTwoPeople: Bool { Set(sessions.map(\.person.id)).count > 1 }
    }

    func callAsFunction(_ context: SignInContext) async throws -> Answer {
        var byHandle = HandleSessionCheck.Reading.none
        if let live = directory.handles {
            let check = check(live)
            byHandle = try await reading(
                of: check.cookie.presentedByCookie(context.headers, at: context.moment),
                check,
                at: context.now
            )
        }
        return Answer(own: try await own(context, beside: byHandle.session), byHandle: byHandle)
    }

    /// The same for a sign-out, which ends whatever is there: also what several cookies `sid` open, none of
    /// which gives access (WEB-COOKIE-7).
    package func leaving(_ context: SignInContext) async throws -> Answer {
        var answer = try await self(context)
        guard let live = directory.handles else { return answer }
        let check = check(live)
        for presented in check.cookie.presentedTogether(context.headers, at: context.moment) {
            let reading = try await reading(of: presented, check, at: context.now)
            if let session = reading.session?.live { answer.together.append(session) }
        }
        return answer
    }

    /// The same, of one person or no one. What brings two people's sessions is refused, and cured: the
    /// one that `sid` opens ends, because anybody below our domain can set that cookie.
    ///
    /// - Throws: ``TwoPeople``.
    package func onePerson(_ context: SignInContext) async throws -> Answer {
        let answer = try await self(context)
        guard answer.isOfTwoPeople, let other = answer.byHandle.session?.live.session else {
            return answer
        }
        _ = try await sessions.store.end(
            sessionID: other.id,
            of: other.personID,
            as: .signedOut,
            at: context.now
        )
        throw TwoPeople(cure: cookies.removeSid)
    }

    package func check(_ live: HandleDirectory.Live) -> HandleSessionCheck {
        HandleSessionCheck(handles: handles, cookie: live.cookie, activity: activity)
    }

    /// What a seal opens: nothing, where its app is disabled or was removed, or its realm has a later
    /// `not-before`.
    package func reading(
        of presented: SidCookie.Presented,
        _ check: HandleSessionCheck,
        at now: Int64
    ) async throws -> HandleSessionCheck.Reading {
        let reading = try await check.reading(of: presented, at: now)
        guard case .content(let content, _, _) = presented,
            let session = reading.session?.live.session
        else { return reading }
        if let rule = directory.sessionRule, session.authenticatedAt < rule.notBefore {
            return .over(content)
        }
        guard case .app(let name, _) = session.form, !directory.apps.has(name) else {
            return reading
        }
        return .over(content)
    }

    /// - Parameter other: Mostly the same session, which then need not be read twice.
    private func own(_ context: SignInContext, beside other: LiveHandleSession?) async throws
        -> Result<LiveSession, SessionCheck.Absence>
    {
        switch cookies.session(context.headers) {
        case .none: return .failure(.noCookie)
        case .malformed: return .failure(.invalidCookie)
        case .hash(let hash):
            if let other, other.live.session.form == .browser(cookieHash: hash) {
                return .success(other.live)
            }
            let live = try await sessions.live(cookie: hash, at: context.now)
            return live.map { .success($0) } ?? .failure(.expired)
        }
    }
}

/// A request with the sessions of two people, of which one has just ended: it may come again.
struct TwoPeople: Refusal {
    /// Removes that one's cookie.
    let cure: HTTPField

    var name: String { "unauthorized" }
    var status: HTTPResponse.Status { .unauthorized }

    var json: JSONValue? {
        [
            "authenticated": false, "error": .string(name),
            "reason": .string(SessionCheck.Absence.invalidCookie.rawValue),
            "message": "The request brings the sessions of two people.",
        ]
    }

    func fields(realm: String) -> HTTPFields {
        var fields: HTTPFields = [.wwwAuthenticate: "Bearer"]
        fields.append(cure)
        return fields
    }
}

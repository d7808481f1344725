import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Finds the session by handle of a request (docs/decisions/0060).
struct HandleSessionCheck: Sendable {
    let handles: HandleSessionStore
    let cookie: SidCookie
    let activity: SessionActivity<UniqueID>

    /// In seconds from the sign-in, however often the seal was made again.
    static let longest: Int64 = 90 * 86_400
    /// A seal that was last used longer ago is made again, in seconds.
    private static let rollsAfter: Int64 = 15 * 60

    /// Why there is no session.
    struct Absence: Refusal, Hashable {
        let cause: SessionCheck.Absence
        /// Of the person, or their DID: they need not type it to sign in again.
        var handle: String?

        var name: String { cause.name }
        var status: HTTPResponse.Status { cause.status }
        func fields(realm: String) -> HTTPFields { cause.fields(realm: realm) }

        var json: JSONValue? {
            guard let handle, case .object(var object)? = cause.json else { return cause.json }
            object["handle"] = .string(handle)
            return .object(object)
        }
    }

    /// A live session, and what its answer brings.
    struct Checked: Sendable {
        let session: LiveHandleSession
        /// The seal to use from now on.
        let seal: SecretText
        /// `Set-Cookie`, where the cookie was made again.
        let fields: HTTPFields
    }

    /// - Throws: ``Absence``, and errors of the store.
    func callAsFunction(_ headers: HTTPFields, at moment: Moment) async throws -> Checked {
        switch cookie.presented(headers, at: moment) {
        case .none: throw Absence(cause: .noCookie)
        case .invalid: throw Absence(cause: .invalidCookie)
        case .content(let content, let seal, let isCookie):
            let (session, createdAt) = try await session(of: content, at: moment.seconds)
            activity.note(
                session.handle.sessionID,
                lastSeenAt: session.live.session.lastSeenAt,
                at: moment.seconds
            )
            guard content.isOld(at: moment.seconds * 1000, after: Self.rollsAfter * 1000) else {
                return Checked(session: session, seal: SecretText(seal), fields: [:])
            }
            let next = SidCookie.Content(
                did: content.did,
                createdAt: createdAt,
                lastAccessed: moment.seconds * 1000,
                session: session.handle.sessionID
            )
            let renewed = try cookie.seal(next, at: moment)
            var fields = HTTPFields()
            if isCookie {
                let idle = session.live.session.idleSeconds
                fields.append(try cookie.set(renewed, for: idle))
            }
            return Checked(session: session, seal: SecretText(renewed), fields: fields)
        }
    }

    /// - Returns: With the time it began, in milliseconds: what is sealed, but nothing later than
    ///   the row.
    private func session(of content: SidCookie.Content, at now: Int64) async throws -> (
        LiveHandleSession, createdAt: Int64
    ) {
        let found =
            if let id = content.session {
                try await handles.live(id, at: now)
            } else {
                try await handles.liveOfForeignSeal(did: content.did, at: now)
            }
        guard let found else { throw try await over(content) }
        guard sameBytes(found.handle.did, content.did) else {
            throw Absence(cause: .invalidCookie)
        }
        let createdAt = min(content.createdAt ?? .max, found.handle.createdAt * 1000)
        guard createdAt > (now - Self.longest) * 1000 else { throw try await over(content) }
        return (found, createdAt)
    }

    private func over(_ content: SidCookie.Content) async throws -> Absence {
        guard let handle = try await handles.lastHandle(of: content.did),
            !sameBytes(handle, Handle.invalid)
        else { return Absence(cause: .expired, handle: content.did) }
        return Absence(cause: .expired, handle: handle)
    }
}

extension SidCookie.Content {
    /// Whether it is to be sealed again. One of another system always is.
    fileprivate func isOld(at now: Int64, after limit: Int64) -> Bool {
        guard session != nil, createdAt != nil, let lastAccessed else { return true }
        return lastAccessed <= now - limit
    }
}

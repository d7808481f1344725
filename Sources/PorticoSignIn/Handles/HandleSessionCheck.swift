package import HTTPTypes
import PorticoATProtocol
package import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
package import PorticoStores
import PorticoWeb

/// Finds the session by handle of a request (docs/decisions/0060).
package struct HandleSessionCheck: Sendable {
    let handles: HandleSessionStore
    package let cookie: SidCookie
    let activity: SessionActivity

    /// In seconds from the sign-in, however often the cookie was sealed again.
    package static let longest: Int64 = 90 * 86_400
    /// A cookie last used longer ago is sealed again, in seconds.
    private static let rollsAfter: Int64 = 15 * 60

    /// Why there is no session.
    package struct Absence: Refusal, Hashable {
        let cause: SessionCheck.Absence
        /// The person's handle, or DID: they need not type it to sign in again.
        var handle: String?

        package init(cause: SessionCheck.Absence, handle: String? = nil) {
            self.cause = cause
            self.handle = handle
        }

        var name: String { cause.name }
        var status: HTTPResponse.Status { cause.status }
        func fields(realm: String) -> HTTPFields { cause.fields(realm: realm) }

        var json: JSONValue? {
            guard let handle, case .object(var object)? = cause.json else { return cause.json }
            object["handle"] = .string(handle)
            return .object(object)
        }
    }

    /// A live session, and what to send with the answer.
    package struct Checked: Sendable {
        package let session: LiveHandleSession
        /// The seal to use from now on.
        package let seal: SecretText
        /// `Set-Cookie`, if the cookie was sealed again.
        package let fields: HTTPFields
    }

    /// The session that a seal opens.
    package enum Reading: Sendable {
        case none
        case invalid
        /// The session that it names is over.
        case over(SidCookie.Content)
        case live(Opened)

        var session: LiveHandleSession? {
            if case .live(let opened) = self { opened.session } else { nil }
        }
    }

    /// A live session, and the seal that named it.
    package struct Opened: Sendable {
        let session: LiveHandleSession
        fileprivate let content: SidCookie.Content
        fileprivate let seal: String
        fileprivate let isCookie: Bool
        /// In milliseconds: the sealed time, but not later than the row's.
        fileprivate let createdAt: Int64
    }

    /// The session of a reading, noted as seen, with the seal to use from now on.
    ///
    /// - Throws: ``Absence``, and errors of the store.
    package func checked(_ reading: Reading, at moment: Moment) async throws -> Checked {
        let opened = try await noted(reading, at: moment.seconds)
        let session = opened.session
        guard
            opened.content.isOld(at: moment.seconds * 1000, after: Self.rollsAfter * 1000)
        else { return Checked(session: session, seal: SecretText(opened.seal), fields: [:]) }
        let next = SidCookie.Content(
            did: opened.content.did,
            createdAt: opened.createdAt,
            lastAccessed: moment.seconds * 1000,
            session: session.handle.sessionID
        )
        let renewed = try cookie.seal(next, at: moment)
        var fields = HTTPFields()
        if opened.isCookie {
            let life = session.live.session.idleSeconds ?? cookie.life
            fields.append(try cookie.set(renewed, for: life))
        }
        return Checked(session: session, seal: SecretText(renewed), fields: fields)
    }

    /// The session of a reading, noted as seen.
    ///
    /// - Throws: ``Absence``, and errors of the store.
    func noted(_ reading: Reading, at now: Int64) async throws -> Opened {
        switch reading {
        case .none: throw Absence(cause: .noCookie)
        case .invalid: throw Absence(cause: .invalidCookie)
        case .over(let content): throw try await over(content)
        case .live(let opened):
            activity.note(
                opened.session.handle.sessionID,
                lastSeenAt: opened.session.live.session.lastSeenAt,
                at: now
            )
            return opened
        }
    }

    func reading(of presented: SidCookie.Presented, at now: Int64) async throws -> Reading {
        guard case .content(let content, let seal, let isCookie) = presented else {
            return presented == .none ? .none : .invalid
        }
        let found =
            if let id = content.session {
                try await handles.live(id, at: now)
            } else {
                try await handles.liveOfForeignSeal(did: content.did, at: now)
            }
        guard let found else { return .over(content) }
        guard sameBytes(found.handle.did, content.did) else { return .invalid }
        let createdAt = min(content.createdAt ?? .max, found.handle.createdAt * 1000)
        guard createdAt > (now - Self.longest) * 1000 else { return .over(content) }
        return .live(
            Opened(
                session: found,
                content: content,
                seal: seal,
                isCookie: isCookie,
                createdAt: createdAt
            )
        )
    }

    private func over(_ content: SidCookie.Content) async throws -> Absence {
        guard let handle = try await handles.lastHandle(of: content.did),
            !sameBytes(handle, Handle.invalid)
        else { return Absence(cause: .expired, handle: content.did) }
        return Absence(cause: .expired, handle: handle)
    }
}

extension SidCookie.Content {
    /// Whether to seal it again. A seal of another system always is.
    fileprivate func isOld(at now: Int64, after limit: Int64) -> Bool {
        guard session != nil, createdAt != nil, let lastAccessed else { return true }
        return lastAccessed <= now - limit
    }
}

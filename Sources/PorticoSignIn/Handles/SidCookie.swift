package import HTTPTypes
package import PorticoBytes
import PorticoProtocol
package import PorticoSeals
import PorticoStores
package import PorticoWeb

/// The cookie `sid`: a seal that other systems can open and make, and which names a session
/// (docs/decisions/0060).
package struct SidCookie: Sendable {
    private let policy: CookiePolicy
    /// The configuration of ``seals``.
    let passwords: IronPasswords
    /// How long a lasting session, its seal and its cookie may be unused, in seconds.
    package let life: Int64
    private let seals: IronSession
    private let opened = OpenedSeals()

    /// The default lifetime of a session, in seconds.
    package static let lifetime: Int64 = 14 * 86_400
    static let name = CookieName(exactly: "sid")

    init(_ policy: CookiePolicy, passwords: IronPasswords, lasting life: Int64 = lifetime) {
        self.policy = policy
        self.passwords = passwords
        self.life = life
        seals = IronSession(passwords)
    }

    /// What is sealed. Times are milliseconds since 1970.
    package struct Content: Hashable, Sendable {
        var did: String
        /// Missing in seals of some systems.
        var createdAt: Int64?
        var lastAccessed: Int64?
        /// Missing in those of all other systems.
        var session: String?

        package init(
            did: String,
            createdAt: Int64? = nil,
            lastAccessed: Int64? = nil,
            session: String? = nil
        ) {
            self.did = did
            self.createdAt = createdAt
            self.lastAccessed = lastAccessed
            self.session = session
        }
    }

    package enum Presented: Hashable, Sendable {
        case none
        /// It does not open, or there are two.
        case invalid
        case content(Content, seal: String, isCookie: Bool)
    }

    /// The seal of a request: from `Authorization`, or else from the cookie.
    package func presented(_ headers: HTTPFields, at moment: Moment) -> Presented {
        let authorization = headers[values: .authorization]
        guard authorization.isEmpty else {
            guard authorization.count == 1, let field = authorization.first,
                let seal = AuthorizationField(field)?.credentials(of: "bearer")
            else { return .invalid }
            return open(String(seal), isCookie: false, at: moment)
        }
        return presentedByCookie(headers, at: moment)
    }

    /// The seal of a request's cookie.
    func presentedByCookie(_ headers: HTTPFields, at moment: Moment) -> Presented {
        guard let cookie = policy.value(of: Self.name, in: headers) else {
            // Two with one name are an attack (WEB-COOKIE-7).
            return policy.isPresent(Self.name, in: headers) ? .invalid : .none
        }
        return open(cookie, isCookie: true, at: moment)
    }

    /// The seals of a request that has several cookies of the name, each value once. One of them was
    /// planted, and it is unknown which.
    func presentedTogether(_ headers: HTTPFields, at moment: Moment) -> [Presented] {
        let cookies = policy.values(of: Self.name, in: headers)
        guard cookies.count > 1 else { return [] }
        let opened = cookies.map { ExactText($0) }.uniqued()
            .map { open($0.text, isCookie: true, at: moment) }
            .filter { $0 != .invalid }
        return Array(opened.prefix(Self.mostTogether))
    }

    /// Each may name a session.
    static let mostTogether = 10

    private func open(_ text: String, isCookie: Bool, at moment: Moment) -> Presented {
        // Longer than any seal; checked here because a seal is hashed before it is opened.
        guard text.utf8.count <= Iron.longest + 64 else { return .invalid }
        let milliseconds = moment.seconds * 1000
        do throws(IronError) {
            let object = try opened.object(in: text, at: milliseconds) { () throws(IronError) in
                try seals.open(text, at: milliseconds)
            }
            guard let content = Content(object) else { return .invalid }
            return .content(content, seal: text, isCookie: isCookie)
        } catch {
            return .invalid
        }
    }

    package func seal(_ content: Content, at moment: Moment) throws(IronError) -> String {
        try seals.seal(
            content.object,
            seconds: life,
            at: moment.seconds * 1000,
            random: moment.random
        )
    }

    /// - Parameter seconds: How long the session lasts unused; at most as long as the seal.
    /// - Throws: tooLong if a browser would drop the cookie.
    package func set(_ seal: String, for seconds: Int64) throws(CookiePolicy.Refusal) -> HTTPField {
        try policy.set(Self.name, to: seal, for: Int(min(seconds, life)))
    }

    var remove: HTTPField { policy.remove(Self.name) }
}

extension SidCookie.Content {
    /// - Returns: `nil` without a DID, or if `session` is no id.
    fileprivate init?(_ object: JSONObject) {
        guard let did = object.string("did"), 1...2048 ~= did.utf8.count else { return nil }
        self.did = did
        createdAt = object.int64("createdAt")
        lastAccessed = object.int64("lastAccessed")
        guard object["session"] != nil else { return }
        guard let id = object.string("session").flatMap({ UniqueID($0) }) else { return nil }
        session = id.text
    }

    fileprivate var object: JSONObject {
        var object: JSONObject = ["did": .string(did)]
        object["createdAt"] = createdAt.map { .integer($0) }
        object["lastAccessed"] = lastAccessed.map { .integer($0) }
        object["session"] = session.map { .string($0) }
        return object
    }
}

/// Seals that opened lately: the format's cipher costs more than the rest of a session check.
///
/// A seal is added only after it opened, under the hash of its whole text, so the answer is that of
/// opening it again.
final class OpenedSeals: Sendable {
    private let objects: Locked<TwoGenerations<Hash256, Iron.Opened>>

    /// - Parameter capacity: An entry is a few hundred bytes.
    init(capacity: Int = 4096) {
        objects = Locked(TwoGenerations(capacity: capacity))
    }

    /// How many seals are remembered.
    var count: Int { objects.withLock { $0.count } }

    /// What a seal holds.
    ///
    /// - Parameters:
    ///   - milliseconds: Since 1970.
    ///   - open: Opens the seal, if it is not remembered or has expired.
    func object(
        in text: String,
        at milliseconds: Int64,
        _ open: () throws(IronError) -> Iron.Opened
    ) throws(IronError) -> JSONObject {
        let key = Hash256(of: text)
        let known = objects.withLock { $0[key] }
        if let known, known.expiresAt.map({ $0 > milliseconds }) ?? true { return known.object }
        let opened = try open()
        objects.withLock { $0.insert(opened, for: key) }
        return opened.object
    }
}

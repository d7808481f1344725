import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// The sessions that are alive at a Keycloak, as its admin REST interface lists them: `user-sessions` and
/// `offline-sessions` of each client (docs/decisions/0051). An export has none.
package struct LiveSessions: Sendable {
    /// The longest name or id, in bytes.
    private static let longest = 255
    /// How many are handed on at once.
    private static let chunk = 200
    /// Of one session. A realm may have thousands of clients, and a session parts of many.
    private static let limits = JSONLimits.foreign(size: 4 << 20, members: 50_000)

    package private(set) var count = 0
    /// When the last of them was used; seconds since 1970.
    package private(set) var lastUsedAt: Int64 = 0
    /// What was not handed on yet.
    private var waiting: [ListedSession] = []

    package init() {}

    /// Reads a list from a file: the two lists by client,
    /// `{"user-sessions": {"app": [{"id": …}]}, "offline-sessions": {…}}`; other members are passed over.
    ///
    /// - Parameter take: Gets some of them at a time.
    /// - Throws: ``LiveSessionsError`` where it is broken: by then some were handed on.
    package mutating func read(
        _ source: some ByteSource,
        take: ([ListedSession]) async throws -> Void
    ) async throws {
        do {
            var reader = JSONReader(source, limits: Self.limits, mayHaveMark: true)
            guard try reader.next() == .beginObject else { throw Self.wrong(reader.path) }
            var isList = false
            while let name = try reader.nextName() {
                guard let kind = Kind(wire: name) else {
                    try reader.skip()
                    continue
                }
                isList = true
                guard try reader.next() == .beginObject else { throw Self.wrong(reader.path) }
                while let client = try reader.nextName() {
                    guard try reader.next() == .beginArray else { throw Self.wrong(reader.path) }
                    while let session = try reader.nextElement() {
                        guard add(session, of: client, kind) else { throw Self.wrong(reader.path) }
                        if waiting.count >= Self.chunk { try await hand(on: take) }
                    }
                }
            }
            guard try reader.next() == nil, isList else { throw Self.wrong(reader.path) }
            try await hand(on: take)
        } catch let error as JSONReadError {
            throw LiveSessionsError(reason: error.description)
        }
    }

    package enum Kind: String, CaseIterable, Sendable {
        case user = "user-sessions"
        case offline = "offline-sessions"
    }

    /// Adds a session (Keycloak `UserSessionRepresentation`) that stands under `client`, its `client_id`
    /// or UUID. It counts for that client alone, and only if it says so itself: one whose part of the
    /// client has ended names it no more.
    ///
    /// - Returns: `false` for a value that is no session.
    package mutating func add(_ value: JSONValue, of client: String, _ kind: Kind) -> Bool {
        guard let session = value.object, let id = Self.name(session, "id"),
            let personID = Self.name(session, "userId"),
            let startedAt = Self.seconds(session, "start"),
            let lastUsedAt = Self.seconds(session, "lastAccess"),
            let clients = session.object("clients")
        else { return false }
        self.lastUsedAt = max(self.lastUsedAt, lastUsedAt)
        for (uuid, name) in clients {
            guard let clientID = name.string, clientID.utf8.count <= Self.longest else {
                return false
            }
            guard sameBytes(uuid, client) || sameBytes(clientID, client) else { continue }
            count += 1
            waiting.append(
                ListedSession(
                    sessionID: id,
                    isOffline: kind == .offline,
                    clientID: clientID,
                    personID: personID,
                    startedAt: startedAt
                )
            )
            break
        }
        return true
    }

    /// Hands on what waits.
    package mutating func hand(on take: ([ListedSession]) async throws -> Void) async throws {
        guard !waiting.isEmpty else { return }
        try await take(waiting)
        waiting = []
    }

    private static func name(_ session: JSONObject, _ member: String) -> String? {
        session.string(member).flatMap { (1...longest).contains($0.utf8.count) ? $0 : nil }
    }

    /// Milliseconds in Keycloak.
    private static func seconds(_ session: JSONObject, _ member: String) -> Int64? {
        guard let milliseconds = session.int64(member) else { return nil }
        return NumericDate.date(.integer(milliseconds / 1000)).map(NumericDate.seconds)
    }

    private static func wrong(_ path: JSONPath) -> LiveSessionsError {
        LiveSessionsError(reason: "\(path): not what Keycloak's admin REST interface answers.")
    }
}

/// Why a list cannot be read, in one English sentence for the administrator.
package struct LiveSessionsError: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

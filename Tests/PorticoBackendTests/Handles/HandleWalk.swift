import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// People who sign in by handle, each step in one line.
extension TestVisitor {
    /// Asks `/login` from a page of ours; the answer leads to the person's host where all is well.
    func begin(_ handle: String, _ query: [(name: String, value: String)] = []) async throws
        -> Reply
    {
        try await request(
            FormEncoding.appending([("handle", handle)] + query, to: "/login"),
            from: "https://\(BackendUnderTest.host)/"
        )
    }

    /// Begins, says yes at the host, and comes back.
    func byHandle(
        _ person: TestHosts.Person = .ann,
        at server: BackendUnderTest,
        _ query: [(name: String, value: String)] = []
    ) async throws -> Reply {
        let begun = try await begin(person.handle, query)
        return try await request(server.hosts.approve(begun.location, as: person))
    }
}

extension BackendUnderTest {
    static func withHandles(
        _ settings: JSONObject = [:],
        apps: [Client] = [.moved, .notes],
        sessionsLast life: Int64 = HandleDirectory.sessionLife
    ) async throws -> BackendUnderTest {
        try await BackendUnderTest(apps: apps, handles: settings, sessionsLast: life)
    }

    /// The session that a reply's `sid` names, as it is stored.
    func handleSession(_ reply: Reply) async throws -> LiveHandleSession? {
        let seal = reply.headers[values: .setCookie].compactMap { field in
            field.dropping("sid=").map { String($0.prefix { $0 != ";" }) }
        }.first
        guard let seal else { return nil }
        return try await handleSession(ofSeal: seal)
    }

    func handleSession(ofSeal seal: String) async throws -> LiveHandleSession? {
        let passwords = try IronPasswords(session: SecretText(Self.sealPassword))
        let opened = try IronSession(passwords).open(seal, at: clock.seconds * 1000)
        guard let id = opened.object.string("session").flatMap({ UniqueID($0) }) else {
            return nil
        }
        return try await database.handles.live(id, at: clock.seconds)
    }

    /// Every session that there is, alive or not.
    func accountSessions() throws -> Int64 {
        try database.database.read { reader in
            try reader.first("SELECT count(*) FROM account_sessions", []) { try $0.int64(0) } ?? -1
        }
    }

    /// Waits for what nobody else waits for.
    func revoked(_ count: Int) async throws -> [String] {
        try await waitUntil("\(count) revoked") { hosts.revoked.count >= count }
        return hosts.revoked
    }
}

extension Client {
    static let notes = BackendUnderTest.notes

    /// An app that came from another library: it takes its session in the address, and opens
    /// `/mobile-auth` bare.
    static let moved = Client.app(
        "moved",
        "com.example.moved:/auth-callback",
        form: .sessionToken,
        isDefault: true
    )
}

import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

/// What every row of every service owes, whatever it answers.
@Suite("Every row of the Provider and of the backend")
struct ServiceRowTests {
    private struct Row: Sendable {
        let methods: [HTTPRequest.Method]
        let path: String
        let scripts: Set<ScriptOrigins>
        let method: HTTPRequest.Method
        let audience: Audience
    }

    private static func rows<Context>(_ table: RouteTable<Context>) -> [Row] {
        table.routes.map { route in
            let path = route.path.description.replacing("{realm}", with: "test")
                .replacing(/\{[^}]+\}/, with: "google")
            let address = table.find(path)?.address
            return Row(
                methods: address?.methods ?? [],
                path: path,
                scripts: Set(address?.routes.map(\.scripts) ?? []),
                method: route.method,
                audience: route.audience
            )
        }
    }

    private typealias Send = (HTTPRequest.Method, String, HTTPFields, [UInt8]) async throws -> Reply

    private func expectRules(_ rows: [Row], _ send: Send) async throws {
        try #require(rows.count > 30)
        for row in rows {
            let what: Comment = "\(row.method) \(row.path)"
            // RFC 9110 §15.5.6.
            let wrong = try await send(HTTPRequest.Method("BREW") ?? .trace, row.path, [:], [])
            #expect(wrong.status == 405, what)
            let allowed = wrong.headers[.allow] ?? ""
            #expect(allowed == row.methods.map(\.rawValue).joined(separator: ", "), what)
            // Fetch §3.2: another origin's script reads public documents only, and a preflight says no more.
            let foreign: HTTPFields = [
                .origin: "https://evil.example", .accessControlRequestMethod: row.method.rawValue,
            ]
            let preflight = try await send(.options, row.path, foreign, [])
            let reader = preflight.headers[.accessControlAllowOrigin]
            #expect(reader == (row.scripts.contains(.any) ? "*" : nil), what)
            guard row.method == .post else { continue }
            // A form is bounded, and no one is signed in by one that is too long or not ours.
            let long: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let tooLong = try await send(
                .post,
                row.path,
                long,
                Array("a=\(String(repeating: "b", count: 70_000))".utf8)
            )
            #expect((200..<500).contains(tooLong.status), what)
            #expect(
                tooLong.headers[values: .setCookie].allSatisfy { !$0.contains("session") },
                what
            )
            let foreignPost: HTTPFields = [
                .contentType: "application/x-www-form-urlencoded", .fetchSite: "cross-site",
                .origin: "https://evil.example",
            ]
            let forged = try await send(.post, row.path, foreignPost, Array("action=allow".utf8))
            #expect((200..<500).contains(forged.status), what)
            #expect(forged.headers[values: .setCookie].allSatisfy { !$0.contains("session") }, what)
        }
    }

    @Test("a wrong method, a foreign origin, a body too long, a form of another site: the Provider")
    func provider() async throws {
        let server = try await ProviderUnderTest()
        // What is at the root is there on a realm's own host only (RealmHostTests, ATMetadataTests).
        let rows = Self.rows(try server.provider.service.routes)
            .filter { $0.path.hasPrefix("/realms/test") || $0.path.hasSuffix("/realms/test") }
        try await expectRules(rows) {
            try await server.send($0, $1, headers: $2, body: $3)
        }
    }

    @Test("a wrong method, a foreign origin, a body too long, a form of another site: the backend")
    func backend() async throws {
        let server = try await BackendUnderTest()
        try await expectRules(Self.rows(try server.backend.service.routes)) {
            try await server.send($0, $1, headers: $2, body: $3)
        }
    }
}

import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Tokens that a real Keycloak made, in a folder outside the repository:
/// `TEST_KEYCLOAK_FIXTURES=FOLDER swift test --filter MovedSwapTests`. Tests of this repository make
/// tokens of their own for the same rules.
private let fixtures = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite(
    "Refresh tokens of a real Keycloak",
    .enabled(if: fixtures != nil, "exports and tokens from outside, to be looked at by hand")
)
struct MovedSwapTests {
    private let root: URL

    init() throws {
        root = URL(filePath: try #require(fixtures))
    }

    private func json(_ path: String) throws -> JSONObject {
        try JSONObject(
            parsing: Array(try Data(contentsOf: root.appending(path: path))),
            limits: JSONLimits(size: 16 << 20)
        )
    }

    /// A server that the realm of a file has moved to, with the list of `folder`.
    private func server(
        _ realm: String,
        _ folder: String,
        _ issuer: String,
        isListed: Bool = true,
        listedUntil: Int64? = nil
    ) async throws -> ProviderUnderTest {
        let database = try TestDatabase.inMemory()
        let file = Array(try Data(contentsOf: root.appending(path: "\(realm)-realm.json")))
        let imported = try await RealmImportTests.read(file, ring: TestRealm.ring)
        var new = try #require(imported.first).realm
        new.realm.tokenSwap = TokenSwap(issuer: issuer, closesAt: 1_900_000_000)
        let list = root.appending(path: "tokens/\(folder)/live-sessions.json").path()
        var sessions = LiveSessions()
        if isListed {
            let descriptor = open(list, O_RDONLY)
            defer { close(descriptor) }
            var all: [ListedSession] = []
            try await sessions.read(FileSource(descriptor)) { all += $0 }
            new.realm.tokenSwap?.listedUntil = listedUntil ?? sessions.lastUsedAt
            #expect(try await database.realms.create(new) == .created)
            try await database.grants.list(all, realmID: new.realm.id, at: 1_800_000_000)
        } else {
            #expect(try await database.realms.create(new) == .created)
        }
        return try await ProviderUnderTest(database: database)
    }

    private func refresh(
        _ token: String,
        _ realm: String,
        _ file: JSONObject,
        _ server: ProviderUnderTest
    ) async throws -> Reply {
        let former = file.object("token_request") ?? JSONObject()
        let proof = ["client_id", "client_secret"].compactMap { name in
            former.string(name).map { (name, $0) }
        }
        return try await server.post(
            "/realms/\(realm)/protocol/openid-connect/token",
            [("grant_type", "refresh_token"), ("refresh_token", token)] + proof
        )
    }

    static let folders = [
        ("article", "article", 2), ("article", "article-127.0.0.1", 2), ("full", "full", 14),
    ]

    @Test(
        "decision 0051: every token of a live session is swapped",
        arguments: MovedSwapTests.folders
    )
    func tokens(_ realm: String, _ folder: String, _ expected: Int) async throws {
        let place = root.appending(path: "tokens/\(folder)")
        var swapped = 0
        var server: ProviderUnderTest?
        for name in try FileManager.default.contentsOfDirectory(atPath: place.path()).sorted() {
            let file = try json("tokens/\(folder)/\(name)")
            guard let token = file.object("tokens")?.string("refresh_token") else { continue }
            let claims = try JSONObject(
                parsing: try #require(
                    Base64URL.decode(String(token.split(separator: ".")[1]))
                )
            )
            if server == nil {
                server = try await self.server(realm, folder, try #require(claims.string("iss")))
            }
            let here = try #require(server)
            var request = file
            if file.object("token_request") == nil {
                request["token_request"] = ["client_id": "native"]
            }
            let reply = try await refresh(token, realm, request, here)
            // Ended there; or older than the person's notBefore.
            if name.contains("ENDED") || name.hasPrefix("jd") {
                #expect(reply.error == "invalid_grant", "\(name)")
                continue
            }
            guard reply.status == 200 else {
                Issue.record("\(name): \(reply.text)")
                continue
            }
            swapped += 1
            let again = try await refresh(token, realm, request, here)
            #expect(again.refreshToken == reply.refreshToken, "\(name)")
            let access = try reply.claims("access_token")
            let former = file.object("decoded")?.object("access_token")?.object("payload")
            for claim in ["sub", "sid", "azp", "acr", "scope"] {
                #expect(
                    words(access.string(claim)) == words(former?.string(claim)),
                    "\(name): \(claim)"
                )
            }
            // A nonce is for the first answer (OpenID Connect Core §12.2), and how people proved who
            // they are is not known any more.
            let lost: Set = ["nonce", "amr"]
            #expect(
                Set(access.map(\.name)).union(lost) == Set(former?.map(\.name) ?? []).union(lost),
                "\(name)"
            )
            let next = try await refresh(reply.refreshToken, realm, request, here)
            #expect(next.status == 200, "\(name): \(next.text)")
        }
        #expect(swapped == expected)
    }

    private func words(_ text: String?) -> Set<Substring>? {
        text.map { Set($0.split(separator: " ")) }
    }

    @Test("decision 0051: a token whose session had ended by a replay there is not swapped")
    func reused() async throws {
        let file = try json("tokens/full/refresh-reuse.json")
        let steps = try #require(file.array("steps")).compactMap(\.object)
        let issuer = "https://id.example.com/realms/full"
        // They are from after the last use of a listed session, and from before the list.
        let server = try await server("full", "full", issuer, listedUntil: 1_795_380_600)
        var request = JSONObject()
        request["token_request"] = steps[0].object("first use")?["form"]
        for (index, step) in steps.enumerated() {
            let token = try #require(step.string("original"))
            let reply = try await refresh(token, "full", request, server)
            #expect(reply.status == (index == 0 ? 200 : 400), "\(index): \(reply.text)")
        }
    }

    @Test("decision 0051: without a list offline tokens are refused, and one without sub, too")
    func unlisted() async throws {
        let server = try await server(
            "full",
            "full",
            "https://id.example.com/realms/full",
            isListed: false
        )
        for (name, status) in [
            ("native-cora-offline", 400), ("light-anna", 400), ("native-dora", 200),
        ] {
            let file = try json("tokens/full/\(name).json")
            let token = try #require(file.object("tokens")?.string("refresh_token"))
            #expect(try await refresh(token, "full", file, server).status == status, "\(name)")
        }
    }

    @Test("decision 0051: an issuer is compared byte for byte")
    func otherIssuer() async throws {
        let server = try await server("article", "article", "http://127.0.0.1:11111/realms/article")
        let file = try json("tokens/article/jr.json")
        let token = try #require(file.object("tokens")?.string("refresh_token"))
        #expect(try await refresh(token, "article", file, server).error == "invalid_grant")
    }
}

import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What a copy of the database gives away") struct StoredSecretsTests {
    @Test("WEB-CRYPT-2, RFC 6749 §10.4: no code, token, cookie, secret or password is in it")
    func nothingToUse() async throws {
        let database = try TestDatabase.inFile()
        let server = try await ProviderUnderTest(database: database)
        let browser = TestBrowser(server)
        let code = try await server.code(browser: browser)
        let tokens = try await server.redeem(code)
        let refreshed = try await server.refresh(
            try tokens.refreshToken,
            key: "idempotency-key-of-alice"
        )
        let pushed = try await server.push(TestFlow.request())
        let uri = try pushed.requestURI
        #expect(refreshed.status == 200)
        var secrets = [
            code, String(uri.split(separator: ":").last ?? ""), TestFlow.verifier,
            "idempotency-key-of-alice", TestRealm.secret, TestRealm.otherSecret,
        ]
        secrets += TestRealm.passwords.values
        secrets += browser.cookies.values
        for reply in [tokens, refreshed] {
            for name in ["access_token", "refresh_token", "id_token"] {
                secrets.append(try #require(reply.json.string(name)))
            }
        }
        let file = try #require(database.file)
        var kept = try Data(contentsOf: URL(filePath: file))
        kept += try Data(contentsOf: URL(filePath: file + "-wal"))
        #expect(kept.range(of: Data("alice@example.com".utf8)) != nil, "it is the right file")
        for secret in secrets {
            #expect(secret.utf8.count > 15)
            #expect(kept.range(of: Data(secret.utf8)) == nil)
            // Nor as the bytes that the text stands for: of a token their secret end.
            if let bytes = Base64URL.decode(secret) {
                #expect(kept.range(of: Data(bytes.suffix(32))) == nil)
            }
        }
    }
}

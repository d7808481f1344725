import PorticoTestSupport
import Testing

@Suite("portico login, at providers that say little") struct LoginOptionTests {
    @Test("Decision 0032: without an announcement of S256 the error names the command's own option")
    func unannounced() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let provider = try LocalProvider()
        provider.become(.noPKCE)
        let login = ["login", "--issuer", provider.issuer, "--no-browser", "--timeout", "1s"]
        let refused = try portico.run(login)
        #expect(refused.status == 1)
        #expect(refused.stderr.contains("The provider does not announce PKCE with S256."))
        #expect(
            refused.stderr.contains("portico login --issuer \(provider.issuer) --pkce-unannounced")
        )
        // The library's word for it helps no one here.
        #expect(!refused.stderr.contains("pkceUnannounced"))
        // Sent all the same, where it is accepted.
        let waited = try portico.run(login + ["--pkce-unannounced"])
        #expect(waited.status == 7, "\(waited.stderr)")
        #expect(waited.stderr.contains("code_challenge_method=S256"))
        #expect(waited.stderr.firstMatch(of: /code_challenge=[A-Za-z0-9_-]{43}\b/) != nil)
    }

    @Test("Who begins no session needs no PKCE: a token's keys are asked for all the same")
    func keys() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let provider = try LocalProvider()
        provider.become(.noPKCE)
        // {"alg":"ES256"}.{}.
        let token = "eyJhbGciOiJFUzI1NiJ9.e30." + String(repeating: "A", count: 86)
        let outcome = try portico.run(
            ["token", "inspect", "--issuer", provider.issuer],
            input: token
        )
        #expect(outcome.status != 0)
        #expect(provider.requests.contains { $0.hasPrefix("GET /keys ") })
        #expect(!outcome.stdout.contains("PKCE"))
    }

    @Test(
        "OpenID Connect Core §3.1.2.1: a port that was asked for and is taken ends the command at once"
    )
    func portInUse() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let provider = try LocalProvider()
        let taken = try #require(RawSocket.listen(port: 0))
        defer { RawSocket.close(taken.socket) }
        let outcome = try portico.run([
            "login", "--issuer", provider.issuer, "--no-browser", "--timeout", "50s",
            "--callback-port", String(taken.port),
        ])
        #expect(outcome.status == 6)
        #expect(outcome.stderr.contains("127.0.0.1:\(taken.port). (port-in-use)"))
        #expect(outcome.stderr.contains("--callback-port PORT"))
        #expect(!outcome.stderr.contains("redirect_uri="))
    }
}

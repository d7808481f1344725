import Portico
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("portico login, at providers that say little") struct LoginOptionTests {
    @Test("Decision 0032: without an announcement of S256 the error names the command's own option")
    func unannounced() async throws {
        let portico = try PorticoProcess()
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

    @Test(
        "BR57, BR58: what the library can, login can, and a wrong template is said before anything"
    )
    func trust() async throws {
        let portico = try PorticoProcess()
        let provider = try LocalProvider()
        let login = ["login", "--issuer", provider.issuer, "--no-browser", "--timeout", "1s"]
        for wrong in ["https://id.example.com/v2.0", "{tenantid}", "http://a.example/{tenantid}"] {
            let refused = try portico.run(login + ["--tenant-issuers", wrong])
            #expect(refused.status == 2, "\(refused.stderr)")
            #expect(refused.stderr.contains("--tenant-issuers needs an https URL with {tenantid}"))
        }
        #expect(provider.requests.isEmpty)
        let waited = try portico.run(
            login + [
                "--trusted-audience", "123456789", "--tenant-issuers",
                "https://login.example.com/{tenantid}/v2.0",
            ]
        )
        #expect(waited.status == 7, "\(waited.stderr)")
        // The same command again is for the same client.
        let again = "portico login --issuer \(provider.issuer) --client-id other --timeout 10m"
        #expect(try portico.run(login + ["--client-id", "other"]).stderr.contains(again))
        provider.become(.otherIssuer)
        let other = try portico.run(login)
        #expect(other.stderr.contains("--tenant-issuers URL"), "\(other.stderr)")
    }

    @Test("https where http is spoken is no mere matter of certificates, and a command mends it")
    func plain() {
        func advice(_ issuer: String) -> [String]? {
            let error = SignInError(.misconfigured(.certificateUntrusted))
            return Failure(signIn: error, issuer: issuer, clientID: "shop")?.advice
        }
        let issuer = "127.0.0.1:8080/realms/shop"
        let login = "portico login --issuer http://\(issuer) --client-id shop"
        #expect(advice("https://" + issuer)?.last == "If it speaks http there: \(login)")
        #expect(advice("https://id.example.com")?.count == 1)
    }

    @Test("Who begins no session needs no PKCE: a token's keys are asked for all the same")
    func keys() async throws {
        let portico = try PorticoProcess()
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

/// Standard error goes into logs: what a person takes for an argument and is a token does not.
@Suite("A token on the command line") struct LiteralTokenTests {
    private static let signed = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlMQ"
    private static let encrypted = "eyJlbmMiOiJBMjU2R0NNIn0.ZW5jcnlwdGVk.aXZpdg.Y2lwaGVydGV4dA.dGFn"
    private static let opaque = "3f9a-opaque-token-of-somebody"

    @Test(
        "It is said in no error, wherever it stands",
        arguments: [signed, encrypted, opaque, signed + signed, "x" + signed]
    )
    func unsaid(token: String) throws {
        let portico = try PorticoProcess()
        for arguments in [
            ["inspect", token], ["inspect", token, "--offline"], ["inspect", "./\(token)"],
            ["inspect", "Bearer", token], ["inspect", "Bearer \(token)"], ["inspect", "-", token],
            ["inspect", "--token", token], ["inspect", "--token=\(token)"],
            ["inspect", "--json", "-n", token], [token], ["print", token],
            ["--min-ttl", token], ["--min-ttl=\(token)"], ["inspect", "--\(token)"],
            ["inspect", "--\(token)=x"],
        ] {
            let outcome = try portico.run(["token"] + arguments)
            #expect(outcome.status != 0, "\(arguments)")
            #expect(!outcome.stderr.contains(token), "\(outcome.stderr)")
            for part in token.split(separator: ".") where part.utf8.count > 8 {
                #expect(!outcome.stderr.contains(part), "\(outcome.stderr)")
            }
            #expect(outcome.stdout.isEmpty)
            #expect(outcome.stderr.hasPrefix("✗ "))
        }
    }

    @Test("A signed or encrypted one is said in no error of any command")
    func everywhere() throws {
        let portico = try PorticoProcess()
        for token in [Self.signed, Self.encrypted] {
            for arguments in [
                ["userinfo", token], ["whoami", "--token=\(token)"], [token], ["logout", token],
                ["login", "--timeout", token], ["realm", token], ["userinfo", "--\(token)"],
            ] {
                let outcome = try portico.run(arguments)
                #expect(outcome.status == 2, "\(arguments)")
                #expect(!outcome.stderr.contains(token), "\(outcome.stderr)")
            }
        }
    }

    @Test("A token is told by its form, and a file by the lack of it")
    func files() throws {
        let portico = try PorticoProcess()
        for name in [
            "token.jwt", "a.b.c", "eyJhbGci", "e.y.j", "./access.token.txt", "tokens/mine",
        ] {
            let outcome = try portico.run(["token", "inspect", name])
            #expect(outcome.stderr.contains("The file cannot be read"), "\(outcome.stderr)")
        }
        for token in [Self.signed, Self.encrypted] {
            let outcome = try portico.run(["token", "inspect", token])
            #expect(outcome.status == 2)
            #expect(outcome.stderr.contains("portico token inspect < FILE"), "\(outcome.stderr)")
        }
        // What cannot be a name at all.
        let long = try portico.run(["token", "inspect", String(repeating: "a", count: 100_000)])
        #expect(long.status == 1)
        #expect(long.stderr.utf8.count < 500)
        #expect(try portico.run(["token", "insepct"]).stderr.contains("\"portico token inspect\""))
    }
}

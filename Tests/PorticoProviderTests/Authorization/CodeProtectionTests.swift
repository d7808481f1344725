import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What protects a code: PKCE, or a nonce (RFC 9700 §2.1.1)") struct CodeProtectionTests {
    private static let noChallenge = [("code_challenge", ""), ("code_challenge_method", "")]

    private func server(_ protection: CodeProtection) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { $0.clients[client: "web1"].codeProtection = protection }
    }

    /// Whether the request is taken: a person would have to sign in.
    private func isTaken(_ request: [(String, String)], _ server: ProviderUnderTest) async throws
        -> Bool
    {
        let silent = TestFlow.change(request, [("prompt", "none")])
        let reply = try await TestBrowser(server).authorize(silent)
        let code = try #require(reply.redirected["error"])
        #expect(["login_required", "invalid_request"].contains(code))
        return code == "login_required"
    }

    @Test("A nonce takes the place of a challenge where the client may choose, and nowhere else")
    func nonce() async throws {
        let cases: [(CodeProtection, nonce: Bool, neither: Bool)] = [
            (.pkce, false, false), (.pkceOrNonce, true, false), (.none, true, true),
        ]
        for (protection, nonce, neither) in cases {
            let server = try await server(protection)
            #expect(try await isTaken(TestFlow.request("web1"), server), "\(protection)")
            let withNonce = TestFlow.request("web1", Self.noChallenge + [("nonce", "n-1")])
            #expect(try await isTaken(withNonce, server) == nonce, "\(protection)")
            let withNeither = TestFlow.request("web1", Self.noChallenge + [("nonce", "")])
            #expect(try await isTaken(withNeither, server) == neither, "\(protection)")
        }
    }

    @Test("OpenID Connect Core §3.1.3.7: a nonce that no ID Token will bring back protects nothing")
    func unusedNonce() async throws {
        let server = try await server(.pkceOrNonce)
        let request = TestFlow.request(
            "web1",
            Self.noChallenge + [("nonce", "n-1"), ("scope", "email")]
        )
        #expect(try await !isTaken(request, server))
        let pushed = try await server.push(request)
        #expect(pushed.status == 400 && pushed.error == "invalid_request")
    }

    @Test("RFC 9700 §2.1.1: with the nonce alone a sign-in goes through, and the ID Token has it")
    func wholeSignIn() async throws {
        let server = try await server(.pkceOrNonce)
        let request = TestFlow.request("web1", Self.noChallenge + [("nonce", "n-77")])
        func redeem(_ others: [(String, String)]) async throws -> Reply {
            let reply = try await TestBrowser(server).signIn("alice", request)
            let code = try #require(reply.redirected["code"])
            let form = [
                ("grant_type", "authorization_code"), ("code", code),
                ("redirect_uri", "https://app.example.com/cb"),
            ]
            return try await server.token(form + others, basic: TestRealm.web1)
        }
        // RFC 9700 §4.8.2: a verifier that no challenge asked for is a sign of a downgrade.
        #expect(try await redeem([("code_verifier", TestFlow.verifier)]).status == 400)
        let tokens = try await redeem([])
        #expect(tokens.status == 200)
        let claims = try tokens.claims
        #expect(claims.string("nonce") == "n-77")
    }
}

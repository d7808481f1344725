import Crypto
import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// Tests of clients stand on these switches: each does what it says, and nothing else.
@Suite("Faults of the stand-in of a host") struct ATHostFaultTests {
    private let scene: HostScene

    init() throws {
        scene = try HostScene()
    }

    @Test("RFC 9449 §8, §9: endless use_dpop_nonce, with a new nonce each time")
    func nonceAlways() async throws {
        let tokens = try await scene.signIn()
        scene.log.clear()
        scene.host.configure { $0.alwaysAsksForNonce = [.pushed, .token, .xrpc] }
        // Also with a nonce that was good.
        let reply = try await scene.session(tokens)
        #expect(reply.status == 401 && reply.error == "use_dpop_nonce")
        await #expect(throws: ATError.nonce) { try await scene.push() }
        await #expect(throws: ATError.nonce) { try await scene.refresh(tokens) }
        for endpoint in [ATHostEndpoint.pushed, .token, .xrpc] {
            #expect(scene.log.count(endpoint) == 2, "\(endpoint)")
        }
        let nonces = try await [scene.nonce(), scene.nonce()]
        #expect(nonces[0] != nonces[1])
        scene.host.repair()
        #expect(try await scene.refresh(tokens).subject == tokens.subject, "it was not spent")
    }

    @Test("A developer says by a form what is wrong, and a form without fields mends it")
    func form() async throws {
        let tokens = try await scene.signIn()
        func say(_ form: String, _ fields: HTTPFields = [:]) async throws -> Reply {
            var headers = fields
            headers[.contentType] = "application/x-www-form-urlencoded"
            return try await scene.send(.post, "/_faults", headers: headers, body: Array(form.utf8))
        }
        let did = ATHostPerson.bob.did
        let wrongly = try await say("nonce=always&gone=did,handle&lost=")
        #expect(wrongly.status == 400, "an endpoint without a name")
        #expect(try await scene.session(tokens).status == 200, "nothing was set")
        let good = try await say("nonce=always&sub=\(did)&gone=did,handle&losers=server_error")
        #expect(good.status == 200)
        #expect(good.json.string("gone") == "did,handle")
        #expect(try await scene.session(tokens).error == "use_dpop_nonce")
        #expect(try await scene.send(.get, "/\(did)").status == 404)
        // What is not said again is over.
        #expect(try await say("access_token=refused&down=directory").status == 200)
        #expect(try await scene.session(tokens).error == "invalid_token")
        #expect(try await scene.send(.get, "/\(did)").status == 503)
        for wrong in ["nonce=often", "other=1", "gone=x", "down=did", "nonce=always&nonce=never"] {
            #expect(try await say(wrong).status == 400, "\(wrong)")
        }
        #expect(try await say("", [.origin: "https://evil.example"]).status == 403)
        #expect(try await scene.session(tokens).status == 401, "all of that changed nothing")
        #expect(try await say("").status == 200)
        #expect(try await scene.session(tokens).status == 200)
        #expect(try await scene.send(.get, "/\(did)").status == 200)
        let choices = try await scene.send(.get, "/_faults")
        let documents = "did, handle, resourceMetadata, serverMetadata, client"
        #expect(choices.json.string("gone") == documents)
    }

    @Test("RFC 9449 §8.2: answers without a nonce")
    func noNonce() async throws {
        let tokens = try await scene.signIn()
        #expect(try await scene.session(tokens).nonce != nil)
        scene.host.configure { $0.givesNoNonce = [.pushed, .token, .revocation, .xrpc] }
        #expect(try await scene.session(tokens).nonce == nil)
        await #expect(throws: ATError.unusable(.noNonce, successor: nil)) {
            try await scene.push()
        }
        do {
            _ = try await scene.refresh(tokens)
            Issue.record("an answer without a nonce was taken")
        } catch ATError.unusable(.noNonce, let successor) {
            #expect(successor != nil)
        }
        #expect(try await !scene.revoke(tokens.access))
    }

    /// Three refreshes at once, of which the first is answered last.
    private func race(_ tokens: ATTokens) async throws -> [Reply] {
        let nonce = try await scene.nonce()
        let answered = Locked(0)
        scene.behind.isHeld.withLock { $0 = true }
        return try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 1...3 {
                group.addTask {
                    let reply = try await scene.refreshOnce(tokens, nonce: nonce)
                    answered.withLock { $0 += 1 }
                    return reply
                }
            }
            try await waitUntil("the losers are answered") { answered.withLock { $0 } == 2 }
            scene.behind.isHeld.withLock { $0 = false }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
                .sorted { $0.status < $1.status }
        }
    }

    @Test("RFC 9700 §4.14.2: of three refreshes two are answered 500, and the winner's tokens work")
    func losersByServerError() async throws {
        let tokens = try await scene.signIn()
        scene.host.configure { $0.losers = .serverError }
        let replies = try await race(tokens)
        #expect(replies.map(\.status) == [200, 500, 500])
        #expect(replies[1].error == "server_error" && replies[1].nonce != nil)
        #expect(scene.log.refreshes == 3)
        let access = try #require(replies[0].json.string("access_token"))
        let method = "com.atproto.server.getSession"
        #expect(try await scene.call(method, SecretText(access)).status == 200)
        // Sent once more, later, it ends the session.
        let again = try await scene.refreshOnce(tokens, nonce: try await scene.nonce())
        #expect(again.status == 400 && again.error == "invalid_grant")
        #expect(try await scene.call(method, SecretText(access)).error == "invalid_token")
    }

    @Test("or they are answered invalid_grant, and the winner's session is over, too")
    func losersByInvalidGrant() async throws {
        let tokens = try await scene.signIn()
        scene.host.configure { $0.losers = .invalidGrant }
        let asked = try await scene.refreshOnce(tokens, nonce: "abc")
        #expect(asked.error == "use_dpop_nonce", "and the token is not used up")
        let replies = try await race(tokens)
        #expect(replies.map(\.status) == [200, 400, 400])
        #expect(replies[1].error == "invalid_grant")
        let access = try #require(replies[0].json.string("access_token"))
        let method = "com.atproto.server.getSession"
        #expect(try await scene.call(method, SecretText(access)).error == "invalid_token")
        let other = try await scene.signIn()
        #expect(try await scene.session(other).status == 200)
    }

    @Test("RFC 6749 §5.1: tokens of another account, tokens that are not bound, a smaller scope")
    func tokenAnswers() async throws {
        func fault(_ members: JSONObject) async throws -> ATAnswerFault? {
            let tokens = try await scene.signIn()
            scene.host.configure { $0.tokenAnswer = members }
            defer { scene.host.repair() }
            do {
                _ = try await scene.refresh(tokens)
                return nil
            } catch ATError.unusable(let fault, let successor) {
                #expect(successor != nil && successor != tokens.refresh)
                return fault
            }
        }
        #expect(try await fault([:]) == nil)
        #expect(try await fault(["sub": .string(HostScene.bob.did)]) == .otherSubject)
        #expect(try await fault(["token_type": "Bearer"]) == .tokenType)
        #expect(try await fault(["scope": "transition:generic"]) == .scope)
        scene.host.configure { $0.tokenAnswer = ["scope": "atproto"] }
        #expect(try await scene.signIn().scope.text == "atproto")
    }

    @Test("a lost answer: what was asked for is done, and no one hears of it")
    func lostAnswer() async throws {
        let tokens = try await scene.signIn()
        scene.host.configure { $0.losesAnswers = [.token, .xrpc] }
        do {
            _ = try await scene.refresh(tokens)
            Issue.record("the answer was not lost")
        } catch let error as ATError {
            #expect(error == .server(status: 504) && !error.isDefinite)
        }
        #expect(try await scene.session(tokens).status == 504)
        scene.host.repair()
        #expect(try await scene.session(tokens).error == "invalid_token", "it is done")
        await #expect(throws: ATError.invalidGrant) { try await scene.refresh(tokens) }
    }

    @Test("each endpoint can be down, and the others are not; access tokens can be refused")
    func down() async throws {
        let tokens = try await scene.signIn()
        let path = "/.well-known/atproto-did"
        for endpoint in ATHostEndpoint.allCases {
            scene.host.configure { $0.down = [endpoint] }
            let replies: [(ATHostEndpoint, Reply)] = try await [
                (.directory, scene.send(.get, "/\(HostScene.ann.did)")),
                (.handle, scene.send(.get, path, at: "ann.handles.test")),
                (.resourceMetadata, scene.send(.get, "/.well-known/oauth-protected-resource")),
                (.serverMetadata, scene.send(.get, "/.well-known/oauth-authorization-server")),
                (.pushed, scene.send(.post, "/par")), (.token, scene.send(.post, "/token")),
                (.revocation, scene.send(.post, "/revoke")), (.xrpc, scene.session(tokens)),
                (.other, scene.send(.get, "/echo")),
            ]
            for (asked, reply) in replies {
                #expect((reply.status == 503) == (asked == endpoint), "\(asked) \(endpoint)")
            }
        }
        scene.host.repair()
        scene.host.configure { $0.refusesAccessTokens = true }
        #expect(try await scene.session(tokens).error == "invalid_token")
        scene.host.repair()
        #expect(try await scene.session(tokens).status == 200)
    }
}

/// A PDS checks a token and its proof as any resource server does, and says no as a real one.
@Suite("Access to the stand-in of a host") struct ATHostAccessTests {
    private let scene: HostScene

    init() throws {
        scene = try HostScene()
    }

    @Test("RFC 9449 §9: without a good nonce the challenge asks for one, and gives it")
    func nonce() async throws {
        let token = try await scene.signIn().access.reveal()
        for nonce in [nil, "abc"] {
            let reply = try await scene.session(
                token,
                proof: try scene.proof(token: token, nonce: nonce)
            )
            #expect(reply.status == 401 && reply.error == "use_dpop_nonce")
            let challenge = try #require(reply.headers[.wwwAuthenticate])
            #expect(challenge.hasPrefix("DPoP algs=\""))
            #expect(challenge.contains("error=\"use_dpop_nonce\""))
            #expect(
                reply.headers[values: .accessControlExposeHeaders]
                    == ["DPoP-Nonce", "WWW-Authenticate"]
            )
            let given = try #require(reply.nonce)
            let proof = try scene.proof(token: token, nonce: given)
            #expect(try await scene.session(token, proof: proof).status == 200)
        }
        // One given three buckets ago is not good any more; the token is still.
        let old = try await scene.nonce()
        scene.clock.advance(by: 180)
        let late = try scene.proof(token: token, nonce: old)
        #expect(try await scene.session(token, proof: late).error == "use_dpop_nonce")
        let again = try await scene.call("com.atproto.server.getSession", SecretText(token))
        #expect(again.status == 200)
    }

    @Test("RFC 9449 §7.1: no credentials, a bound token as Bearer: neither challenge nor nonce")
    func missing() async throws {
        let token = try await scene.signIn().access.reveal()
        let proof = try scene.proof(token: token, nonce: try await scene.nonce())
        let path = "/xrpc/com.atproto.server.getSession"
        let none = try await scene.send(.get, path)
        #expect(none.status == 401 && none.error == "AuthMissing")
        let bearer = try await scene.session(token, scheme: "Bearer", proof: proof)
        #expect(bearer.status == 400 && bearer.error == "InvalidToken")
        let basic = try await scene.session(token, scheme: "Basic", proof: proof)
        #expect(basic.status == 401 && basic.error == "AuthMissing")
        for reply in [none, bearer, basic] {
            #expect(reply.headers[.wwwAuthenticate] == nil && reply.nonce == nil)
        }
        #expect(try await scene.session(token, scheme: "dpop", proof: proof).status == 200)
    }

    @Test("RFC 9449 §7.1, §4.3: a proof that is not right for the request is refused")
    func proofs() async throws {
        let token = try await scene.signIn().access.reveal()
        let nonce = try await scene.nonce()
        let right = try scene.proof(token: token, nonce: nonce)
        let wrong: [(String, String?, String?)] = [
            ("none", nil, nil),
            ("two", right, try scene.proof(token: token, nonce: nonce)),
            ("no ath", try scene.proof(token: nil, nonce: nonce), nil),
            ("another token's ath", try scene.proof(token: "x", nonce: nonce), nil),
            ("another method", try scene.proof(.post, token: token, nonce: nonce), nil),
            (
                "another address",
                try scene.proof(at: HostScene.origin + "/xrpc/x", token: token, nonce: nonce), nil
            ),
            ("no JWT", "x", nil),
        ]
        for (name, proof, again) in wrong {
            let reply = try await scene.session(token, proof: proof, again: again)
            #expect(reply.status == 401 && reply.error == "invalid_dpop_proof", "\(name)")
            #expect(reply.headers[.wwwAuthenticate]?.contains("invalid_dpop_proof") == true)
            #expect(reply.nonce != nil)
        }
        #expect(try await scene.session(token, proof: right).status == 200)
        let replayed = try await scene.session(token, proof: right)
        #expect(replayed.status == 401 && replayed.error == "invalid_dpop_proof")
    }

    @Test("RFC 9449 §7.1, RFC 9068 §4: a token is this server's, of this key, and not over")
    func tokens() async throws {
        let tokens = try await scene.signIn()
        let token = tokens.access.reveal()
        let method = "com.atproto.server.getSession"
        let other = try DPoPKey(random: .system)
        let stolen = try await scene.call(method, tokens.access, key: other)
        #expect(stolen.json.string("message") == "Invalid DPoP key binding")
        let forger = try SigningKey(generating: .es256, random: .system)
        let now = scene.clock.seconds
        let claims: JSONObject = [
            "iss": .string(HostScene.origin), "aud": .string(HostScene.origin),
            "sub": .string(HostScene.ann.did), "exp": .integer(now + 60), "scope": "atproto",
            "cnf": ["jkt": .string(scene.key.thumbprint.text)],
        ]
        let forged = try forger.sign(claims: claims, type: .accessToken)
        let refused = try await [
            stolen, scene.call(method, SecretText("garbage")),
            scene.call(method, SecretText(forged)),
            scene.call(method, SecretText(String(token.dropLast(4)) + "AAAA")),
        ]
        for reply in refused {
            #expect(reply.status == 401 && reply.error == "invalid_token", "\(reply.text)")
            let challenge = reply.headers[.wwwAuthenticate]
            #expect(challenge?.contains("error=\"invalid_token\"") == true)
            #expect(reply.nonce != nil)
        }
        #expect(try await scene.session(tokens).status == 200)
        scene.clock.advance(by: 900)
        #expect(try await scene.session(tokens).error == "invalid_token")
        // Whose account is gone.
        let later = try await scene.signIn()
        scene.host.setPeople([HostScene.bob])
        #expect(try await scene.session(later).error == "invalid_token")
    }

    @Test("as at a real host, an access token ends with a refresh, and with a revocation by proof")
    func ended() async throws {
        let first = try await scene.signIn()
        let second = try await scene.refresh(first)
        #expect(try await scene.session(first).error == "invalid_token")
        #expect(try await scene.session(second).status == 200)
        // Without a proof the answer is the same, and nothing is revoked.
        let token = try #require(second.refresh)
        let form = FormEncoding.encode([(name: "token", value: token.reveal())])
        let bare = try await scene.send(
            .post,
            "/revoke",
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: form
        )
        #expect(bare.status == 200)
        #expect(try await scene.session(second).status == 200)
        #expect(try await scene.revoke(token))
        #expect(try await scene.session(second).error == "invalid_token")
        let other = try await scene.signIn()
        #expect(try await scene.session(other).status == 200, "another session of the account")
    }

    @Test("what no one here answers")
    func otherMethods() async throws {
        let token = try await scene.signIn().access
        let unknown = try await scene.call("com.example.unknown", token)
        #expect(unknown.status == 502 && unknown.error == "UpstreamFailure")
        #expect(unknown.nonce != nil)
        #expect(try await scene.send(.get, "/xrpc/com.example.unknown").error == "AuthMissing")
    }
}

import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// Tests of clients stand on these switches: each does what it says, and nothing else.
@Suite("Faults of the stand-in of a host") struct ATHostFaultTests {
    @Test("RFC 9449 §8, §9: endless use_dpop_nonce, with a new nonce each time")
    func nonceAlways() async throws {
        let scene = try HostScene()
        let tokens = try await scene.signIn()
        scene.host.log.clear()
        scene.host.configure { $0.alwaysAsksForNonce = [.pushed, .token, .xrpc] }
        // Also with a nonce that was good.
        let reply = try await scene.session(tokens)
        #expect(reply.status == 401 && reply.error == "use_dpop_nonce")
        await #expect(throws: ATError.nonce) { try await scene.push() }
        await #expect(throws: ATError.nonce) { try await scene.refresh(tokens) }
        for endpoint in [ATHostEndpoint.pushed, .token, .xrpc] {
            #expect(scene.host.log.count(endpoint) == 2, "\(endpoint)")
        }
        let nonces = try await [scene.nonce(), scene.nonce()]
        #expect(nonces[0] != nonces[1])
        scene.host.repair()
        #expect(try await scene.refresh(tokens).subject == tokens.subject, "it was not spent")
    }

    @Test("A developer says by a form what is wrong, and a form without fields mends it")
    func form() async throws {
        let scene = try HostScene()
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
        let scene = try HostScene()
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

    /// Three refreshes at once.
    private func race(_ scene: HostScene, _ tokens: ATTokens) async throws -> [Reply] {
        let barrier = scene.host.hold(.token, until: 3)
        let nonce = try await scene.nonce()
        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 1...3 {
                group.addTask { try await scene.refreshOnce(tokens, nonce: nonce) }
            }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
        #expect(barrier.waiting == 0)
        return replies.sorted { $0.status < $1.status }
    }

    @Test("RFC 9700 §4.14.2: of three refreshes two are answered 500, and the winner's tokens work")
    func losersByServerError() async throws {
        for _ in 1...10 {
            let scene = try HostScene()
            let tokens = try await scene.signIn()
            scene.host.configure { $0.losers = .serverError }
            // All have come before the first is answered.
            let answers = scene.host.hold(.token, at: .answer, until: 3)
            let replies = try await race(scene, tokens)
            #expect(replies.map(\.status) == [200, 500, 500])
            #expect(replies[1].error == "server_error" && replies[1].nonce != nil)
            #expect(answers.waiting == 0 && scene.host.log.refreshes == 3)
            let access = try #require(replies[0].json.string("access_token"))
            let method = "com.atproto.server.getSession"
            #expect(try await scene.call(method, SecretText(access)).status == 200)
            // Sent once more, later, it ends the session.
            let again = try await scene.refreshOnce(tokens, nonce: try await scene.nonce())
            #expect(again.status == 400 && again.error == "invalid_grant")
            #expect(try await scene.call(method, SecretText(access)).error == "invalid_token")
        }
    }

    @Test("or they are answered invalid_grant, and the winner's session is over, too")
    func losersByInvalidGrant() async throws {
        for _ in 1...10 {
            let scene = try HostScene()
            let tokens = try await scene.signIn()
            scene.host.configure { $0.losers = .invalidGrant }
            let replies = try await race(scene, tokens)
            #expect(replies.map(\.status) == [200, 400, 400])
            #expect(replies[1].error == "invalid_grant")
            let access = try #require(replies[0].json.string("access_token"))
            let method = "com.atproto.server.getSession"
            #expect(try await scene.call(method, SecretText(access)).error == "invalid_token")
            let other = try await scene.signIn()
            #expect(try await scene.session(other).status == 200)
        }
    }

    @Test("a refresh token is not used up by an answer that asks for a nonce, or by an error")
    func losersWait() async throws {
        let scene = try HostScene()
        let tokens = try await scene.signIn()
        scene.host.configure { $0.losers = .invalidGrant }
        let asked = try await scene.refreshOnce(tokens, nonce: "abc")
        #expect(asked.status == 400 && asked.error == "use_dpop_nonce")
        scene.host.configure { $0.errors[.token] = .init(status: 500, code: "server_error") }
        await #expect(throws: ATError.server(status: 500)) { try await scene.refresh(tokens) }
        scene.host.configure { $0.errors = [:] }
        let next = try await scene.refresh(tokens)
        #expect(try await scene.session(next).status == 200)
        #expect(try await scene.session(try await scene.refresh(next)).status == 200)
    }

    @Test("RFC 6749 §5.1: tokens of another account, tokens that are not bound, a smaller scope")
    func tokenAnswers() async throws {
        let scene = try HostScene()
        func fault(_ faults: ATHostFaults.TokenFault...) async throws -> ATAnswerFault? {
            let tokens = try await scene.signIn()
            scene.host.configure { $0.tokenAnswer = faults }
            defer { scene.host.repair() }
            do {
                _ = try await scene.refresh(tokens)
                return nil
            } catch ATError.unusable(let fault, let successor) {
                #expect(successor != nil && successor != tokens.refresh)
                return fault
            }
        }
        #expect(try await fault() == nil)
        #expect(try await fault(.subject(HostScene.bob.did)) == .otherSubject)
        #expect(try await fault(.bearer) == .tokenType)
        #expect(try await fault(.scope("transition:generic")) == .scope)
        #expect(try await fault(.member("scope", nil)) == .scope)
        #expect(try await fault(.member("access_token", nil)) == .notTokens)
        scene.host.configure { $0.tokenAnswer = [.scope("atproto")] }
        #expect(try await scene.signIn().scope.text == "atproto")
    }

    @Test("documents that are gone, or say something else")
    func documents() async throws {
        let scene = try HostScene()
        let did = try DID(HostScene.ann.did)
        let handle = try Handle(HostScene.ann.handle, scene.rules)
        scene.host.configure { $0.gone = [.did] }
        await #expect(throws: IdentityError.didNotFound) {
            try await scene.resolver.identity(of: did)
        }
        scene.host.configure { $0.gone = [.handle] }
        await #expect(throws: IdentityError.handleNotFound) {
            try await scene.resolver.identity(of: handle)
        }
        for document in [ATHostDocument.resourceMetadata, .serverMetadata] {
            scene.host.configure { $0.gone = [document] }
            await #expect(throws: DiscoveryError.noServer) { try await scene.server() }
        }
        scene.host.repair()
        scene.host.configure {
            $0.documents = [
                .did: ["alsoKnownAs": ["at://bob.handles.test"]],
                .serverMetadata: ["issuer": "https://evil.example"],
            ]
        }
        await #expect(throws: IdentityError.handleOfAnother) {
            try await scene.resolver.identity(of: handle)
        }
        await #expect(throws: DiscoveryError.profile(.issuer)) { try await scene.server() }
        scene.host.configure {
            $0.documents = [.resourceMetadata: ["authorization_servers": nil]]
        }
        await #expect(throws: DiscoveryError.noServer) { try await scene.server() }
        scene.host.repair()
        #expect(try await scene.resolver.identity(of: handle).did == did)
        #expect(try await scene.server().issuer.text == HostScene.origin)
    }

    @Test("while the client's document is gone no tokens are given, and none are lost")
    func clientDocument() async throws {
        let scene = try HostScene()
        let tokens = try await scene.signIn()
        scene.host.configure { $0.gone = [.client] }
        await #expect(throws: ATError.client(.invalidClientMetadata)) { try await scene.push() }
        await #expect(throws: ATError.client(.invalidClientMetadata)) {
            try await scene.refresh(tokens)
        }
        #expect(try await scene.session(tokens).status == 200)
        scene.host.repair()
        #expect(try await scene.session(try await scene.refresh(tokens)).status == 200)
    }

    @Test("a lost answer: what was asked for is done, and nobody hears of it")
    func lostAnswer() async throws {
        let scene = try HostScene()
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

    @Test("a barrier holds requests before anything is done, or their answers")
    func barrier() async throws {
        let scene = try HostScene()
        let tokens = try await scene.signIn()
        func asked() -> Int { scene.behind.asked.count { $0 == "/token" } }
        let before = asked()
        let request = scene.host.hold(.token)
        let answer = scene.host.hold(.token, at: .answer)
        async let next = scene.refresh(tokens)
        try await waitUntil("the request is held") { request.waiting == 1 }
        #expect(asked() == before)
        #expect(try await scene.session(tokens).status == 200, "nothing else is held")
        request.release()
        try await waitUntil("the answer is held") { answer.waiting == 1 }
        #expect(asked() == before + 1)
        answer.release()
        let refreshed = try await next
        #expect(request.waiting == 0 && answer.waiting == 0)
        // Open for all that come, and gone with the faults.
        let third = try await scene.refresh(refreshed)
        let xrpc = scene.host.hold(.xrpc)
        async let session = scene.session(third)
        try await waitUntil("the call is held") { xrpc.waiting == 1 }
        scene.host.repair()
        #expect(try await session.status == 200)
    }

    @Test("each endpoint can be down, and the others are not; errors are as told")
    func down() async throws {
        let scene = try HostScene()
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
        let before = scene.behind.asked.count { $0 == "/token" }
        scene.host.configure { $0.errors = [.token: .init(status: 401, code: "invalid_client")] }
        await #expect(throws: ATError.client(.invalidClient)) { try await scene.refresh(tokens) }
        #expect(scene.behind.asked.count { $0 == "/token" } == before, "nobody is asked")
        scene.host.repair()
        scene.host.configure { $0.refusesAccessTokens = true }
        #expect(try await scene.session(tokens).error == "invalid_token")
        scene.host.repair()
        #expect(try await scene.session(tokens).status == 200)
    }
}

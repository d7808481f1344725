import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("Sessions whose tokens are bound to a key")
struct BoundSessionTests {
    private let scene = BoundScene()

    private func hash(_ token: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array(token.utf8)))
    }

    @Test("RFC9449-5-1, RFC9449-5-6: from PAR to revocation each request proves the key")
    func everyRequest() async throws {
        let session = try await scene.signIn()
        _ = try await session.userInfo()
        _ = try await session.http.data(for: BoundScene.notes)
        scene.clock.advance(by: 400)
        _ = try await session.token()
        _ = await session.signOut(.tokens)
        let proofs = scene.binding.proofs()
        let good = proofs.filter { $0.refusal == nil }
        #expect(good.map(\.path) == ["/par", "/token", "/userinfo", "/notes", "/token", "/revoke"])
        #expect(proofs.filter { $0.refusal != nil }.allSatisfy { $0.refusal == .nonce })
        #expect(Set(proofs.map(\.thumbprint)).count == 1)
        #expect(Set(proofs.map { $0.claims.string("jti") }).count == proofs.count)
        for proof in proofs {
            let isResource = proof.path == "/userinfo" || proof.path == "/notes"
            #expect(proof.claims.string("htm") == (isResource ? "GET" : "POST"))
            #expect(proof.claims.string("htu")?.hasSuffix("example.com\(proof.path)") == true)
            // RFC9449-4.2-3: where a token goes, and nowhere else.
            #expect(proof.claims.string("ath") == (isResource ? hash("A2") : nil))
            #expect(proof.scheme == (isResource ? "DPoP" : nil))
        }
        #expect(scene.provider.revoked == ["R1"])
        #expect(scene.provider.requests.allSatisfy { !$0.address.contains("A2") })
    }

    @Test("RFC9449-10.1-2: PAR has the proof; a request that is not pushed names the key")
    func codeBinding() async throws {
        let pushed = try await scene.client.begin()
        #expect(try parameter("request_uri", of: pushed.address) != nil)
        #expect(try parameter("dpop_jkt", of: pushed.address) == nil)
        let plain = BoundScene { provider in
            provider.change { state in
                let none: JSONValue? = .none
                state.metadata["pushed_authorization_request_endpoint"] = none
            }
        }
        let attempt = try await plain.client.begin()
        let session = try await attempt.complete(try plain.binding.authorize(attempt.address))
        let thumbprint = try #require(plain.binding.proofs().first?.thumbprint)
        #expect(try parameter("dpop_jkt", of: attempt.address) == thumbprint)
        #expect(session.isActive)
        #expect(plain.binding.proofs("/par").isEmpty)
    }

    @Test("Without the option there is neither key nor proof, and a bound token is refused")
    func off() async throws {
        let scene = BoundScene(dpop: false)
        let attempt = try await scene.client.begin()
        #expect(try parameter("dpop_jkt", of: attempt.address) == nil)
        let session = try await attempt.complete(try scene.binding.authorize(attempt.address))
        _ = try await session.http.data(for: BoundScene.notes)
        #expect(scene.binding.proofs().isEmpty)
        #expect(scene.provider.requests.allSatisfy { $0.fields[.dpop] == nil })
        let stored = try #require(try await scene.storage.read())
        #expect(!String(decoding: stored, as: UTF8.self).contains("dpop"))
        scene.provider.change { $0.tokens = Self.dpop }
        #expect(await thrown { try await scene.signIn() } == .rejected(.tokenType))
    }

    private static let dpop: @Sendable (JSONObject) -> JSONObject = {
        var tokens = $0
        tokens["token_type"] = "DPoP"
        return tokens
    }

    @Test(
        "RFC9449-8-3, RFC9449-5-3: asked for a nonce with 400 or 401, PAR and token are sent again, once, with the same code",
        arguments: [400, 401]
    )
    func nonceAtProvider(status: Int) async throws {
        scene.binding.change { $0.status = status }
        let attempt = try await scene.client.begin()
        #expect(scene.binding.proofs("/par").map(\.refusal) == [.nonce, nil])
        // A new minute: the nonce of before is good no more.
        scene.binding.change { $0.nonces["https://op.example.com:443"] = "op-2" }
        let session = try await attempt.complete(try scene.binding.authorize(attempt.address))
        #expect(scene.binding.proofs("/token").map(\.refusal) == [.nonce, nil])
        #expect(
            scene.binding.proofs("/token").map { $0.claims.string("nonce") } == ["op-1", "op-2"]
        )
        #expect(scene.provider.requests("/token").count == 1)
        scene.clock.advance(by: 400)
        scene.binding.change { $0.nonces["https://op.example.com:443"] = "op-3" }
        _ = try await session.token()
        #expect(scene.binding.proofs("/token").map(\.refusal) == [.nonce, nil, .nonce, nil])
        #expect(scene.provider.generation == 1)
    }

    @Test("RFC9449-9-2: the nonce of one origin never goes to another; a challenge brings its own")
    func nonceAtResource() async throws {
        let session = try await scene.signIn()
        let (data, response) = try await session.http.data(for: BoundScene.notes)
        #expect(response.status == .ok && String(decoding: data, as: UTF8.self) == "notes")
        let notes = scene.binding.proofs("/notes")
        #expect(notes.map(\.refusal) == [.nonce, nil])
        #expect(notes.map { $0.claims.string("nonce") } == [nil, "api-1"])
        _ = try await session.http.data(for: BoundScene.notes)
        #expect(scene.binding.proofs("/notes").count == 3)
        let others = scene.binding.proofs().filter { $0.path != "/notes" }
        #expect(others.allSatisfy { [nil, "op-1"].contains($0.claims.string("nonce")) })
    }

    @Test("attack G12: a server that always asks for a nonce gets two requests, and ends nothing")
    func endless() async throws {
        let session = try await scene.signIn()
        scene.binding.change { $0.isEndless = true }
        let before = scene.binding.proofs().count
        #expect(
            await thrown { try await scene.client.begin() }
                == .transient(.serverError, retryAfter: nil)
        )
        #expect(scene.binding.proofs().count == before + 2)
        let (_, response) = try await session.http.data(for: BoundScene.notes)
        #expect(response.status.code == 401)
        #expect(scene.binding.proofs("/notes").count == 2)
        scene.clock.advance(by: 400)
        #expect(await session.failure() == .transient(.serverError, retryAfter: nil))
        #expect(session.isActive)
        scene.binding.change { $0.isEndless = false }
        #expect(try await session.token() == "A3")
    }

    @Test("RFC9449-5-6: after a restart the session has its key, stored with its tokens")
    func restart() async throws {
        let session = try await scene.signIn()
        let key = try #require(try await scene.storedRecord?.dpopKey)
        #expect(Set(scene.binding.proofs().map(\.thumbprint)) == [key.thumbprint.text])
        #expect(!"\(session)".contains(Base64URL.encode(key.revealStored())))
        for dpop in [true, false] {
            scene.clock.advance(by: 400)
            let restarted = try await scene.restarted(dpop: dpop)
            _ = try await restarted.token()
            _ = try await restarted.http.data(for: BoundScene.notes)
        }
        #expect(Set(scene.binding.proofs().map(\.thumbprint)) == [key.thumbprint.text])
        #expect(scene.provider.generation == 2)
        // Another session has another key.
        let other = BoundScene()
        _ = try await other.signIn()
        #expect(try await other.storedRecord?.dpopKey?.thumbprint != key.thumbprint)
    }

    @Test("A record with a key is none that an earlier library reads, nor good without it")
    func record() async throws {
        _ = try await scene.signIn()
        let bytes = try #require(try await scene.storage.read())
        var json = try JSONObject(parsing: bytes, limits: JSONLimits(size: 1 << 20, depth: 40))
        #expect(json.int64("version") == 2)
        for damaged in ["", "AAAA", "not base64!"] {
            json["dpop_key"] = .string(damaged)
            #expect(SessionRecord(json.serialized()) == nil)
        }
        let none: JSONValue? = .none
        json["dpop_key"] = none
        #expect(SessionRecord(json.serialized()) == nil)
        let plain = BoundScene(dpop: false)
        _ = try await plain.signIn()
        let record = try #require(try await plain.storage.read())
        #expect(
            try JSONObject(parsing: record, limits: JSONLimits(size: 1 << 20, depth: 40))
                .int64("version") == 1
        )
    }

    @Test("A refresh whose answer is lost is repeated: the same request and key, a new proof")
    func lostAnswer() async throws {
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        scene.binding.change { $0.lost = ["/token"] }
        #expect(await session.failure() == .transient(.unreachable, retryAfter: nil))
        let restarted = try await scene.restarted()
        _ = try await restarted.token()
        let refreshes = scene.provider.requests("/token").filter {
            $0.form["grant_type"] == "refresh_token"
        }
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        #expect(refreshes.count == 2)
        #expect(Set(refreshes.map { $0.fields[name] }).count == 1)
        #expect(Set(refreshes.map { $0.fields[.dpop] }).count == 2)
        #expect(Set(scene.binding.proofs().map(\.thumbprint)).count == 1)
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("RFC9449-5-4: an answer with tokens that are not bound is refused, and nothing is stored")
    func bearerAnswer() async throws {
        scene.binding.change { $0.bindsTokens = false }
        #expect(await thrown { try await scene.signIn() } == .rejected(.tokenNotBound))
        #expect(try await scene.storage.read() == nil)
        scene.binding.change { $0.bindsTokens = true }
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        scene.binding.change { $0.bindsTokens = false }
        #expect(await session.failure() == .rejected(.tokenNotBound))
        // Its refresh token is the current one now.
        #expect(session.isActive)
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.refreshToken?.reveal() == "R1" && stored.accessToken.reveal() == "A4")
        scene.binding.change { $0.bindsTokens = true }
        _ = try await session.token()
        #expect(scene.provider.generation == 2)
    }

    @Test("RFC9449-5-3: a refused proof is the clock's or the provider's matter; no session ends")
    func refusedProof() async throws {
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        for status in [400, 401] {
            scene.provider.answer("/token") { _ in .error(status, "invalid_dpop_proof") }
            #expect(await session.failure() == .misconfigured(.proofRefused))
        }
        #expect(session.isActive)
        scene.provider.answerAsUsual("/token")
        #expect(try await session.token() == "A3")
        scene.provider.answer("/userinfo") { _ in
            .text(401, nil, [], [.wwwAuthenticate: "DPoP error=\"invalid_dpop_proof\""])
        }
        #expect(await thrown { try await session.userInfo() } == .misconfigured(.proofRefused))
        #expect(session.isActive)
    }

    @Test("A step-up goes on with the session's key, and a refused token is replaced with a proof")
    func stepUpAndRetry() async throws {
        let session = try await scene.signIn()
        let attempt = try await session.beginStepUp(SignInRequest(maxAge: .zero))
        scene.provider.change { $0.claims = { $0.with("auth_time", $0["iat"]) } }
        _ = try await attempt.complete(try scene.binding.authorize(attempt.address))
        #expect(Set(scene.binding.proofs().map(\.thumbprint)).count == 1)
        scene.provider.answer("/notes") { request in
            request.fields[.authorization] == "DPoP A4"
                ? .text(401, nil, [], [.wwwAuthenticate: "DPoP error=\"invalid_token\""])
                : .text(200, nil, [])
        }
        let (_, response) = try await session.http.data(for: BoundScene.notes)
        #expect(response.status == .ok)
        let notes = scene.binding.proofs("/notes")
        #expect(notes.map { $0.claims.string("ath") } == [hash("A4"), hash("A4"), hash("A5")])
    }

    @Test("A request that the app sends itself has a proof, and another after a challenge")
    func otherMeans() async throws {
        let session = try await scene.signIn()
        var request = BoundScene.notes
        request.method = .delete
        try await session.http.authorize(&request)
        #expect(request.headerFields[.authorization] == "DPoP A2")
        let limits = HTTPLimits(bytes: 1024, seconds: 1)
        let first = try await scene.binding.send(request, body: [], limits: limits)
        #expect(first.response.status.code == 401)
        #expect(try await session.http.reauthorize(&request, after: first.response))
        let second = try await scene.binding.send(request, body: [], limits: limits)
        #expect(second.response.status == .ok)
        #expect(try await !session.http.reauthorize(&request, after: second.response))
        let proofs = scene.binding.proofs("/notes")
        #expect(proofs.map { $0.claims.string("htm") } == ["DELETE", "DELETE"])
        #expect(proofs.map { $0.claims.string("nonce") } == [nil, "api-1"])
        #expect(proofs.allSatisfy { $0.claims.string("ath") == hash("A2") })
        // What another token was refused for does not concern this session.
        var foreign = BoundScene.notes
        foreign.headerFields[.authorization] = "Bearer A2"
        #expect(try await !session.http.reauthorize(&foreign, after: first.response))
    }

    @Test("A session that shares another's tokens has its key, and one of other tokens has none")
    func shared() async throws {
        let first = try await scene.signIn()
        let client = BoundScene.client(scene.binding, InMemory())
        let session = try await Session(adopting: first.credentials(), by: client)
        _ = try await session.http.data(for: BoundScene.notes)
        #expect(scene.binding.proofs("/notes").map(\.refusal) == [.nonce, nil])
        #expect(Set(scene.binding.proofs().map(\.thumbprint)).count == 1)
        let plain = BoundScene(dpop: false)
        let theirs = try await plain.signIn().credentials()
        let raw = Credentials(
            accessToken: theirs.accessToken,
            refreshToken: theirs.refreshToken,
            idToken: theirs.idToken
        )
        let adopted = try await Session(
            adopting: raw,
            by: BoundScene.client(plain.binding, InMemory())
        )
        _ = try await adopted.http.data(for: BoundScene.notes)
        #expect(plain.binding.proofs().isEmpty)
    }
}

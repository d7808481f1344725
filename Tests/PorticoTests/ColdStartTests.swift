import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

private let openID = "/.well-known/openid-configuration"

/// What was fetched of the provider is kept with the session, so that an app that starts sends its
/// refresh and nothing before it.
@Suite("A cold start") struct ColdStartTests {
    /// The requests of a start that refreshes, in order, and the session.
    private func start(_ scene: Scene) async throws -> (paths: [String], session: Session) {
        let before = scene.provider.requests.count
        let session = try await scene.neighbour()
        _ = try await session.token()
        return (scene.provider.requests.dropFirst(before).map(\.path), session)
    }

    /// Signed in with answers that have this `Cache-Control`, and then `seconds` away.
    private func scene(_ cacheControl: String? = nil, away seconds: Double) async throws -> Scene {
        let scene = Scene()
        for path in [openID, "/keys"] {
            scene.provider.answer(path) { [provider = scene.provider] request in
                var reply = provider.usualAnswer(request)
                reply.response.headerFields[.cacheControl] = cacheControl
                return reply
            }
        }
        _ = try await scene.signIn()
        scene.clock.advance(by: seconds)
        return scene
    }

    @Test("is one request, within an hour or as long as Cache-Control says")
    func oneRequest() async throws {
        for (cacheControl, seconds) in [
            (nil, 3500), ("max-age=300", 3500), ("public, max-age=7200", 7100),
            ("no-cache", 3500), ("max-age=999999999999", 86_000),
        ] as [(String?, Double)] {
            let scene = try await scene(cacheControl, away: seconds)
            let (paths, session) = try await start(scene)
            #expect(paths == ["/token"], "\(cacheControl ?? "none")")
            #expect(session.isActive)
            // What it learned is kept in turn.
            scene.clock.advance(by: 400)
            #expect(try await start(scene).paths.filter { $0 == "/token" }.count == 1)
        }
    }

    @Test("after a long time is one request too, and the metadata is fetched beside it")
    func stale() async throws {
        for seconds: Double in [3600, 24 * 3600, 29 * 24 * 3600] {
            let scene = try await scene(away: seconds)
            // The metadata comes only after the refresh was sent, or after two seconds.
            let isAwaited = Locked<Bool?>(nil)
            scene.provider.answer(openID) { [provider = scene.provider] _ in
                for _ in 0..<200 where provider.requests("/token").count < 2 {
                    // `try?`: a cancelled wait ends sooner.
                    try? await Task.sleep(for: .milliseconds(10))
                }
                isAwaited.withLock { $0 = provider.requests("/token").count < 2 }
                return nil
            }
            let (paths, session) = try await start(scene)
            #expect(paths.filter { $0 != openID } == ["/token"])
            #expect(session.isActive)
            while isAwaited.withLock({ $0 }) == nil { await Task.yield() }
            #expect(isAwaited.withLock { $0 } == false)
        }
    }

    @Test("RFC 9111 §5.2.2.5: what may not be stored, or is a month old, is not kept")
    func notKept() async throws {
        let month: Double = 31 * 24 * 3600
        for (cacheControl, seconds) in [("no-store", 400), (nil, month)] as [(String?, Double)] {
            let scene = try await scene(cacheControl, away: seconds)
            #expect(try await start(scene).paths == [openID, "/token", "/keys"])
        }
    }

    @Test("a provider that has moved is found: the old address fails, then its metadata is fetched")
    func moved() async throws {
        let scene = try await scene(away: 7200)
        scene.provider.answer("/token") { _ in .text(404, "text/html", []) }
        scene.provider.answer("/oauth/token") { [provider = scene.provider] request in
            provider.tokenAnswer(request)
        }
        scene.provider.answerAsUsual(openID)
        scene.provider.change {
            $0.metadata["token_endpoint"] = "https://op.example.com/oauth/token"
        }
        let (paths, session) = try await start(scene)
        #expect(paths.contains("/oauth/token"))
        #expect(session.isActive)
    }

    @Test("invalid_grant of an address that may be the old one ends nothing before new metadata")
    func movedAndRefused() async throws {
        let scene = try await scene(away: 7200)
        scene.provider.answer("/token") { _ in .error(400, "invalid_grant") }
        scene.provider.answer(openID) { _ in .text(503, nil, []) }
        let session = try await scene.neighbour()
        #expect(await session.failure() == .transient(.serverError, retryAfter: nil))
        #expect(session.isActive)
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
        scene.provider.answerAsUsual(openID)
        scene.provider.answer("/oauth/token") { [provider = scene.provider] request in
            provider.tokenAnswer(request)
        }
        scene.provider.change {
            $0.metadata["token_endpoint"] = "https://op.example.com/oauth/token"
        }
        _ = try await session.token()
        #expect(session.isActive)
        // By fresh metadata it is the provider's own word.
        scene.clock.advance(by: 400)
        scene.provider.answer("/oauth/token") { _ in .error(400, "invalid_grant") }
        #expect(await session.failure() == .interactionRequired(.sessionEnded))
        #expect(!session.isActive)
    }

    @Test(
        "keys that a fetch brings from the old jwks_uri are not the provider's any more",
        arguments: [false, true]
    )
    func oldKeys(isFailing: Bool) async throws {
        func header(_ key: FakeProvider.Key) throws -> JWSHeader {
            try JWT(parsing: key.get().sign(claims: [:], type: .jwt), limit: 4096).header
        }
        let scene = Scene()
        let remote = try scene.client.remoteProvider()
        let gate = Gate()
        scene.provider.answer("/keys") { _ throws(HTTPTransportError) in
            await gate.pass()
            if isFailing { throw .unreachable }
            return nil
        }
        let (old, new) = (try header(FakeProvider.key), try header(FakeProvider.otherKey))
        let waiting = Task.failure { _ = try await remote.keys(for: old) }
        await gate.arrival()
        let newKey = try FakeProvider.otherKey.get().verificationKey
        scene.provider.answer("/new-keys") { _ in
            .text(200, "application/json", JWKSet([newKey]).serialized())
        }
        scene.provider.change { $0.metadata["jwks_uri"] = "https://op.example.com/new-keys" }
        scene.clock.advance(by: 3700)
        #expect(try await remote.keys(for: new).count == 1)
        gate.open()
        #expect(await waiting.value == .rejected(.key))
        #expect(try await remote.keys(for: new).count == 1)
        let kept = KnownProvider(await remote.lasting, of: remote.issuer)
        #expect(kept.keySetURI == "https://op.example.com/new-keys")
        #expect(kept.keys?.value.keys(fitting: old).isEmpty == true)
        // Once for the new key, and once for a name that the new address does not know.
        #expect(scene.provider.requests("/new-keys").count == 2)
    }

    @Test("offline ends nothing, and says what is wrong with the network")
    func offline() async throws {
        let scene = try await scene(away: 7200)
        for path in ["/token", openID] {
            scene.provider.answer(path) { _ throws(HTTPTransportError) in throw .unreachable }
        }
        let session = try await scene.neighbour()
        #expect(await session.failure() == .transient(.unreachable, retryAfter: nil))
        #expect(session.isActive)
    }

    @Test("OpenID Connect Core §10.1.1: a new key is fetched, and so is one with an old name")
    func newKeys() async throws {
        for name in ["k1", "k3"] {
            let scene = try await scene(away: 400)
            let key = FakeProvider.newKey(name)
            scene.provider.change {
                $0.signer = key
                $0.published = [key]
            }
            let (paths, session) = try await start(scene)
            #expect(paths == ["/token", "/keys"])
            #expect(session.isActive)
        }
    }

    @Test("a new algorithm is found out, whatever the kept metadata says, and no one is signed out")
    func newAlgorithm() async throws {
        let key = FakeProvider.Key {
            try SigningKey(generating: .rs256, keyID: "r1", random: .system)
        }
        for seconds in [400, 7200.0] {
            let scene = try await scene(away: seconds)
            scene.provider.answerAsUsual(openID)
            scene.provider.change {
                $0.rotatesPlainly = true
                $0.signer = key
                $0.published = [key]
                $0.metadata["id_token_signing_alg_values_supported"] = ["RS256"]
            }
            let (paths, session) = try await start(scene)
            #expect(paths.contains(openID))
            #expect(session.isActive)
            #expect(!scene.provider.isFamilyDead)
        }
    }

    @Test(
        "an answer that cannot be checked is not a wrong one: its refresh token is kept",
        arguments: [
            .text(302, nil, [], [.location: "https://op.example.com/maintenance"]),
            .text(200, "text/html", Array("<html>".utf8)), .text(503, nil, []),
        ] as [HTTPReply]
    )
    func keysAway(answer: HTTPReply) async throws {
        let scene = try await scene(away: 400)
        let key = FakeProvider.newKey("k3")
        scene.provider.change {
            $0.rotatesPlainly = true
            $0.signer = key
            $0.published = [key]
        }
        scene.provider.answer("/keys") { _ in answer }
        let session = try await scene.neighbour()
        #expect(await session.failure() != nil)
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R1")
        scene.provider.answerAsUsual("/keys")
        scene.clock.advance(by: 30)
        _ = try await session.token()
        #expect(session.isActive)
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("§3.1.3.7: a wrong signature is refused with kept keys too, and the session lives")
    func forged() async throws {
        let scene = try await scene(away: 400)
        scene.provider.change { $0.signer = FakeProvider.newKey("k1") }
        let session = try await scene.neighbour()
        #expect(await session.failure() == .rejected(.signature))
        #expect(session.isActive)
    }

    @Test("what is kept is checked as when it came, and damage is fetched again")
    func damaged() async throws {
        for (name, value) in [
            ("metadata", .object(FakeProvider.metadata.with("issuer", "https://evil.example"))),
            (
                "metadata",
                .object(FakeProvider.metadata.with("token_endpoint", "http://evil.example/"))
            ),
            (
                "metadata",
                .object(FakeProvider.metadata.with("code_challenge_methods_supported", []))
            ),
            ("metadata", "x"), ("metadata_fresh", 1.5), ("metadata_at", "x"),
            ("metadata_fresh", "x"), ("keys", "x"),
            ("keys_at", .integer(.max)), ("keys_fresh", 1.5),
            ("keys_uri", "https://evil.example/keys"),
        ] as [(String, JSONValue)] {
            let scene = try await scene(away: 400)
            let bytes = try #require(try await scene.storage.read())
            var record = try JSONObject(parsing: bytes)
            var known = try #require(record.object("provider"))
            known[name] = value
            record["provider"] = .object(known)
            try await scene.storage.write(record.serialized())
            let (paths, session) = try await start(scene)
            #expect(paths.count == 2, "\(name): \(paths)")
            #expect(Set(paths).isSubset(of: [openID, "/token", "/keys"]))
            #expect(session.isActive)
        }
    }

    @Test("a kept life that no provider gave is not believed, and traps nothing")
    func endless() async throws {
        let scene = try await scene(away: 400)
        let bytes = try #require(try await scene.storage.read())
        var record = try JSONObject(parsing: bytes)
        var known = try #require(record.object("provider"))
        known["metadata_fresh"] = .integer(.max)
        known["keys_fresh"] = .integer(.max)
        record["provider"] = .object(known)
        try await scene.storage.write(record.serialized())
        #expect(try await start(scene).paths == ["/token"])
        scene.clock.advance(by: 90_000)
        let session = try await scene.neighbour()
        let before = scene.provider.requests(openID).count
        _ = try await session.token()
        _ = try await session.client.provider()
        #expect(scene.provider.requests(openID).count == before + 1)
    }

    @Test("a record of an earlier version, without any of it, is read")
    func earlier() async throws {
        let scene = try await scene(away: 400)
        let bytes = try #require(try await scene.storage.read())
        try await scene.storage.write(JSONObject(parsing: bytes).with("provider", nil).serialized())
        #expect(try await start(scene).paths == [openID, "/token", "/keys"])
        scene.clock.advance(by: 400)
        #expect(try await start(scene).paths == ["/token"])
    }
}

@Suite("Keys without an algorithm") struct UnlabelledKeyTests {
    @Test("PS256 by a key that names no algorithm is accepted where the provider lists it")
    func ps256() async throws {
        let key = FakeProvider.Key {
            try SigningKey(generating: .ps256, keyID: "r1", random: .system)
        }
        let jwk = try key.get().verificationKey.jwk.object.with("alg", nil)
        for (listed, isGood) in [
            (["PS256"], true), (["RS256", "PS256"], true), (["RS256"], false),
        ] as [([JSONValue], Bool)] {
            let scene = Scene()
            scene.provider.change {
                $0.signer = key
                $0.metadata["id_token_signing_alg_values_supported"] = .array(listed)
            }
            scene.provider.answer("/keys") { _ in .json(["keys": [.object(jwk)]]) }
            #expect(await scene.failure() == (isGood ? nil : .rejected(.algorithm)))
        }
    }
}

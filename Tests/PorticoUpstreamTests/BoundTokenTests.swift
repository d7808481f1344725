import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoUpstream

@Suite("Tokens of a provider that are bound to a key")
struct BoundTokenTests {
    private static let nonce = HTTPField.Name("DPoP-Nonce") ?? .accept
    private static let proof = HTTPField.Name("DPoP") ?? .accept
    private static let pushing = "https://op.example.com/par"

    /// A provider that asks each endpoint for a nonce of its own, with this status.
    private func scene(
        _ authentication: String = "private_key_jwt",
        status: Int = 400,
        pushes: Bool = true
    ) throws -> Scene {
        let scene = try Scene(
            .oidc,
            ["dpop": true, "authentication": .string(authentication)],
            metadata: pushes
                ? ["pushed_authorization_request_endpoint": .string(Self.pushing)] : [:],
            secret: authentication == "private_key_jwt" ? Scene.pem : "s3cret"
        )
        scene.tell { $0.tokens = ["token_type": "DPoP"] }
        let usual = scene.world.answer(of: scene.addresses.token)
        scene.world.answer(Self.pushing) { request throws(HTTPTransportError) in
            Self.asked(request, "p", status)
                ?? .json(["request_uri": "urn:x", "expires_in": 60], status: 201)
        }
        scene.world.answer(scene.addresses.token) { request throws(HTTPTransportError) in
            if let asked = Self.asked(request, "t", status) { return asked }
            guard let usual else { throw .unreachable }
            return try usual(request)
        }
        scene.world.answer("https://op.example.com/userinfo") {
            request throws(HTTPTransportError) in
            Self.asked(request, "u", 401) ?? .json(["sub": "alice", "email": "a@example.com"])
        }
        scene.world.answer("https://op.example.com/revoke") { request throws(HTTPTransportError) in
            Self.asked(request, "r", status) ?? .json([:])
        }
        return scene
    }

    /// What asks for a nonce, if the proof has not this one.
    private static func asked(_ request: World.Request, _ nonce: String, _ status: Int)
        -> HTTPReply?
    {
        guard claims(request)?.string("nonce") != nonce else { return nil }
        return .json(["error": "use_dpop_nonce"], status: status, [Self.nonce: nonce])
    }

    private static func jws(_ request: World.Request) -> JWS? {
        // `try?`: a request without a proof has none.
        try? JWS(parsing: (request.fields[proof] ?? "").utf8, limit: 8192)
    }

    private static func claims(_ request: World.Request) -> JSONObject? {
        jws(request).flatMap { try? JSONObject(parsing: $0.uncheckedPayload) }
    }

    private func thumbprints(_ scene: Scene) -> [String] {
        scene.world.requests.filter { $0.fields[Self.proof] != nil }.compactMap { request in
            let jwk = Self.jws(request)?.header.members.object("jwk")
            return jwk.flatMap { try? JWK(parsing: $0, unlabelledRSA: .rs256) }
                .map { JWKThumbprint($0).text }
        }
    }

    @Test(
        "RFC9449-5-1, RFC9449-8-3: with the setting, PAR, token, UserInfo, refresh and revocation prove one key, at a nonce with new assertions",
        arguments: [400, 401]
    )
    func everyRequest(status: Int) async throws {
        let scene = try scene(status: status)
        let begun = try await scene.begin()
        #expect(try parameter("request_uri", of: begun.address) == "urn:x")
        let attempt = try Attempt(encoded: begun.attempt.encoded)
        #expect(attempt == begun.attempt)
        let code = try await scene.client.code(in: scene.answer(to: attempt), to: attempt)
        let person = try await scene.client.redeem(code, of: attempt)
        let token = try #require(person.refreshToken)
        let fresh = try await scene.client.refresh(token)
        #expect(fresh.key?.thumbprint == attempt.key?.thumbprint)
        #expect(fresh.refreshToken == token)
        #expect(await scene.client.revoke(token))
        let bound = scene.world.requests.filter { $0.fields[Self.proof] != nil }
        #expect(
            bound.map { HTTPAddress($0.address)?.path } == [
                "/par", "/par", "/token", "/token", "/userinfo", "/userinfo", "/token", "/token",
                "/revoke", "/revoke",
            ]
        )
        #expect(Set(thumbprints(scene)) == [attempt.key?.thumbprint.text])
        #expect(Set(bound.map { Self.claims($0)?.string("jti") }).count == bound.count)
        for request in bound {
            let isUserInfo = request.address.hasSuffix("/userinfo")
            #expect((Self.claims(request)?.string("ath") != nil) == isUserInfo)
            #expect(request.fields[.authorization] == (isUserInfo ? "DPoP A1" : nil))
        }
        // RFC 7523 §3: an assertion is good for one request.
        let assertions = bound.compactMap { $0.form["client_assertion"] }
        #expect(assertions.count == 8 && Set(assertions).count == 8)
        #expect(scene.world.requests(scene.addresses.revoke ?? "").last?.form["token"] == "R1")
    }

    @Test(
        "RFC 9126 §2: the client identifies itself at PAR as at the token endpoint, and once",
        arguments: ["client_secret_basic", "client_secret_post", "private_key_jwt"]
    )
    func identification(_ method: String) async throws {
        let scene = try scene(method)
        _ = try await scene.begin()
        let request = try #require(scene.world.requests(Self.pushing).last)
        #expect(request.form.all.filter { $0.name == "client_id" }.map(\.value) == ["us"])
        #expect((request.fields[.authorization] != nil) == (method == "client_secret_basic"))
        #expect(request.form["redirect_uri"] == Scene.redirectURI)
        #expect(request.form["code_challenge_method"] == "S256")
    }

    @Test("RFC9449-10-1: where nothing is pushed, the address names the key of the attempt")
    func address() async throws {
        let scene = try scene(pushes: false)
        let (attempt, address) = try await scene.begin()
        let key = try #require(attempt.key)
        #expect(try parameter("dpop_jkt", of: address) == key.thumbprint.text)
        let other = try await scene.begin().attempt
        #expect(other.key?.thumbprint != key.thumbprint)
        let plain = try Scene(.oidc)
        let (without, usual) = try await plain.begin()
        #expect(try parameter("dpop_jkt", of: usual) == nil)
        #expect(without.key == nil)
    }

    @Test("RFC9449-5-4: tokens that are not bound are refused, and a refused PAR begins nothing")
    func refused() async throws {
        let scene = try scene()
        scene.tell { $0.tokens = [:] }
        #expect(await scene.failure() == .rejected(.tokenNotBound))
        scene.world.answer(Self.pushing) { _ in
            .json(["error": "invalid_dpop_proof"], status: 400)
        }
        #expect(await scene.failure() == .misconfigured(.proofRefused))
    }

    @Test("An attempt with a key travels as bytes, and comes back whole or not at all")
    func attempt() async throws {
        let encoded = try await scene().begin().attempt.encoded
        for count in 0..<encoded.count {
            #expect(throws: ByteReader.Malformed.self) {
                try Attempt(encoded: Array(encoded.prefix(count)))
            }
        }
        let zero = encoded.dropLast(32) + [UInt8](repeating: 0, count: 32)
        for wrong in [
            encoded + [0], [1] + encoded.dropFirst(), [3] + encoded.dropFirst(), Array(zero),
        ] {
            #expect(throws: ByteReader.Malformed.self) { try Attempt(encoded: wrong) }
        }
    }

    @Test("What is stored of a refresh token has its client and its key where it needs them")
    func stored() throws {
        let provider = try IdentityProvider(
            name: "x",
            kind: .oidc,
            settings: ["clientID": "us", "issuer": "https://op.example.com"]
        )
        let key = try DPoPKey(random: .system)
        for (clientID, key) in [("us", nil), ("app 1", nil), ("us", key), ("app.1", key)]
            as [(String, DPoPKey?)]
        {
            for text in ["R1", "R 1", "  R1 ", ".R1.x", "R1  AAAA us"] {
                let token = ForeignToken(SecretText(text), of: clientID, boundTo: key)
                let written = token.written(for: provider)
                let back = ForeignToken(written, of: provider)
                #expect(back.text.reveal() == text && back.clientID == clientID)
                #expect(back.key?.thumbprint == key?.thumbprint)
                #expect((written.reveal() == text) == (clientID == "us" && key == nil))
            }
        }
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoProvider

/// What ends a session at `/oauth/revoke` (RFC 7009), and what does not.
@Suite("A host of the AT Protocol: revocation") struct ATRevocationTests {
    /// All get the same answer.
    private func revoke(
        _ token: String,
        _ scene: ATScene,
        by prover: Prover?,
        _ proof: [(String, String)]? = nil
    ) async throws {
        let form = [("token", token), ("client_id", ATScene.url)] + (try proof ?? scene.proof())
        let reply =
            if let prover {
                try await prover.post("revoke", form)
            } else {
                try await scene.server.post(scene.server.path(of: "revoke"), form)
            }
        #expect(reply.status == 200 && reply.text == "{}")
    }

    @Test(
        "attack G18, RFC 7009 §2.2: a token that is of no use any more, found by a stranger, ends no session",
        arguments: [true, false]
    )
    func found(isConfidential: Bool) async throws {
        let scene = try await ATScene(isConfidential: isConfidential)
        let stranger = try Prover(scene.server)
        let first = try await scene.tokens()
        let spent = try first.refreshToken
        let access = try first.accessToken
        let second = try await scene.refresh(spent)
        let current = try second.refreshToken
        // By no key, and by another one.
        try await revoke(spent, scene, by: nil)
        for token in [spent, current, access] { try await revoke(token, scene, by: stranger) }
        scene.server.clock.advance(by: 3600)
        try await revoke(access, scene, by: nil)
        let third = try await scene.refresh(current)
        #expect(third.status == 200)
        // By its own key any of them does.
        try await revoke(spent, scene, by: scene.app)
        let last = try third.refreshToken
        #expect(try await scene.refresh(last).error == "invalid_grant")
    }

    @Test("RFC 7009 §2.1: a token that can be used ends its session also where no key is proven")
    func usable() async throws {
        for kind in ["refresh_token", "access_token"] {
            let scene = try await ATScene()
            let tokens = try await scene.tokens()
            let refresh = try tokens.refreshToken
            try await revoke(try #require(tokens.json.string(kind)), scene, by: nil)
            #expect(try await scene.refresh(refresh).error == "invalid_grant", "\(kind)")
        }
    }

    @Test("ATP-CA-3: another key of the client's, which its document has too, ends no session")
    func otherClientKey() async throws {
        let scene = try await ATScene(isConfidential: true)
        let refresh = try await scene.tokens().refreshToken
        let other = try SigningKey(generating: .es256, keyID: "two", random: .system)
        let keys = [scene.key, other].map { JSONValue.object($0.verificationKey.jwk.object) }
        scene.publish(["jwks": ["keys": .array(keys)]])
        scene.server.clock.advance(by: 600)
        try await revoke(refresh, scene, by: scene.app, scene.proof(by: other))
        let next = try await scene.refresh(refresh)
        #expect(next.status == 200)
        let current = try next.refreshToken
        try await revoke(current, scene, by: scene.app)
        #expect(try await scene.refresh(current).error == "invalid_grant")
    }
}

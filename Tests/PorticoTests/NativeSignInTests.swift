import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Sign-in by what the system shows in the app")
struct NativeSignInTests {
    private let scene = BackendScene()

    private func failure(_ action: () async throws -> Void) async -> SignInError.Kind? {
        do {
            try await action()
            return nil
        } catch {
            return (error as? SignInError)?.kind
        }
    }

    @Test("PRV-A-16, PRV-G-14: the token has our nonce, and the verifier stays here until then")
    func signIn() async throws {
        let attempt = try await scene.client.beginNative(with: "apple")
        let asked = try #require(scene.backend.requests("/v1/auth/apple/native/nonce").first)
        #expect(asked.form["code_verifier"] == nil && asked.form["code_challenge"] != nil)
        #expect(attempt.hashedNonce.count == 64 && attempt.hashedNonce != attempt.nonce)
        let session = try await attempt.complete(
            idToken: "TOKEN \(attempt.nonce)",
            authorizationCode: "c0de",
            name: .init(given: "Ann \"A\"", family: nil)
        )
        #expect(session.user.id == "u-1" && session.isNew && session.isActive)
        let sent = try #require(scene.backend.requests("/v1/auth/apple/native").first).form
        #expect(sent["authorization_code"] == "c0de")
        #expect(sent["user"] == #"{"name":{"firstName":"Ann \"A\""}}"#)
        #expect(sent["nonce"] == attempt.nonce)
        guard case .signedIn(let restored) = await scene.client.restore() else {
            Issue.record("it is kept")
            return
        }
        #expect(restored.user.id == "u-1")
        // One answer uses an attempt up.
        #expect(
            await failure { _ = try await attempt.complete(idToken: "TOKEN \(attempt.nonce)") }
                == .rejected(.alreadyUsed)
        )
        #expect(scene.backend.requests("/v1/auth/apple/native").count == 1)
    }

    @Test("What Apple leaves out is not sent, and the SHA-256 is that of the nonce")
    func least() async throws {
        scene.backend.answer("/v1/auth/google/native/nonce") { _ in .json(["nonce": "abc"]) }
        let attempt = try await scene.client.beginNative(with: "google")
        #expect(attempt.nonce == "abc")
        #expect(
            attempt.hashedNonce
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        _ = await failure {
            _ = try await attempt.complete(idToken: "x", name: .init(given: nil, family: nil))
        }
        let sent = try #require(scene.backend.requests("/v1/auth/google/native").first).form
        #expect(Set(sent.all.map(\.name)) == ["app", "id_token", "nonce", "code_verifier"])
    }

    @Test(
        "attack E23: a token that the backend does not take signs no one in, and says why",
        arguments: [
            (.refusal(401, "invalid_token"), .rejected(.identityTokenRefused)),
            (.refusal(400, "invalid_app"), .misconfigured(.clientRefused)),
            (.refusal(409, "link_required"), .interactionRequired(.interactionRequired)),
            (.refusal(403, "sign_up_closed"), .denied), (.refusal(403, "account_blocked"), .denied),
            (.refusal(502, "provider_error"), .transient(.serverError, retryAfter: nil)),
            (.text(200, "text/html", Array("<html>".utf8)), .rejected(.tokenResponse)),
            (.json(["session_token": "S", "token_type": "Bearer"]), .rejected(.tokenResponse)),
            (.text(302, nil, [], [.location: "https://evil.example"]), .rejected(.redirected)),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func refused(reply: HTTPReply, kind: SignInError.Kind) async throws {
        let attempt = try await scene.client.beginNative(with: "apple")
        scene.backend.answer("/v1/auth/apple/native") { _ in reply }
        let error = await #expect(throws: SignInError.self) {
            _ = try await attempt.complete(idToken: "SECRET-TOKEN")
        }
        #expect(error?.kind == kind)
        #expect(error?.description.contains("SECRET") == false)
        #expect(try await scene.storage.read() == nil)
    }

    @Test(
        "A nonce that is none begins nothing",
        arguments: [
            .json([:]), .json(["nonce": ""]), .json(["nonce": "a b"]), .json(["nonce": 7]),
            .text(200, "text/html", Array(#"{"nonce":"x"}"#.utf8)),
            .json(["nonce": .string(String(repeating: "n", count: 513))]),
        ] as [HTTPReply]
    )
    func noNonce(reply: HTTPReply) async {
        scene.backend.answer("/v1/auth/apple/native/nonce") { _ in reply }
        #expect(
            await failure { _ = try await scene.client.beginNative(with: "apple") }
                == .rejected(.backendAnswer)
        )
    }

    @Test("A provider's name is a name, and leads nowhere else")
    func names() async {
        for name in ["", "a/b", "../token", "a?b", "apple#"] {
            #expect(
                await failure { _ = try await scene.client.beginNative(with: name) }
                    == .misconfigured(.providerNameInvalid)
            )
        }
        #expect(scene.backend.requests.count == 0)
    }

    @Test("Where nothing can be kept, no one is asked, and what is stored stays")
    func unkept() async throws {
        let storage = FaultyStorage()
        let scene = BackendScene(storage: storage)
        let later = Array(#"{"version":99}"#.utf8)
        try await storage.write(later)
        #expect(
            await failure { _ = try await scene.client.beginNative(with: "apple") }
                == .storage(.laterVersion)
        )
        #expect(try await storage.read() == later)
        for problem in [SignInError.StorageProblem.locked, .entitlementMissing, .noKeyring] {
            storage.failReading(by: problem)
            #expect(
                await failure { _ = try await scene.client.beginNative(with: "apple") }
                    == .storage(problem)
            )
        }
        #expect(scene.backend.requests.count == 0)
    }
}

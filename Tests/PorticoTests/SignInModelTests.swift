import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("The model for views")
@MainActor struct SignInModelTests {
    private let scene = Scene(redirect: .https(Scene.redirectURI))

    private func agreeing() -> SignInMethod {
        let provider = scene.provider
        return .sheet(
            ScriptedSheet { address, _ throws(SignInError) in try provider.agreeing(address) }
        )
    }

    private static func word(_ model: SignInModel) -> String {
        switch model.state {
        case nil: "unknown"
        case .signedIn: "signed in"
        case .signedOut: "signed out"
        case .locked: "locked"
        }
    }

    @Test("It looks for a session, signs in, follows the session, and signs out")
    func life() async throws {
        let model = SignInModel(scene.client)
        #expect(Self.word(model) == "unknown")
        await model.restore()
        #expect(Self.word(model) == "signed out")
        await model.signIn(using: agreeing())
        #expect(Self.word(model) == "signed in")
        let session = try #require(model.session)
        let other = SignInModel(scene.client)
        await other.restore()
        #expect(Self.word(other) == "signed in")
        let report = await model.signOut(.local)
        #expect(report?.localCleared == true)
        #expect(!session.isActive)
        try await waitUntil("the view hears of it") { Self.word(model) == "signed out" }
        #expect(await model.signOut() == nil)
    }

    @Test("A session that ends at the provider ends in the view, without a call")
    func ended() async throws {
        let model = SignInModel(scene.client)
        await model.signIn(using: agreeing())
        let session = try #require(model.session)
        scene.clock.advance(by: 400)
        scene.provider.answer("/token") { _ in .error(400, "invalid_grant") }
        #expect(await session.failure() == .interactionRequired(.sessionEnded))
        try await waitUntil("the view hears of it") { Self.word(model) == "signed out" }
    }

    @Test("Locked is not signed out, and is looked at again")
    func locked() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        _ = try await scene.signIn()
        storage.failsReading = true
        let model = SignInModel(scene.client)
        await model.restore()
        #expect(Self.word(model) == "locked")
        storage.failsReading = false
        await model.restore()
        #expect(Self.word(model) == "signed in")
    }

    @Test("A cancel is no error; what failed is told, until the next try")
    func errors() async throws {
        let model = SignInModel(scene.client)
        await model.restore()
        let sheet = ScriptedSheet { _, count throws(SignInError) in
            throw SignInError(count == 1 ? .cancelled(.user) : .denied)
        }
        await model.signIn(using: .sheet(sheet))
        #expect(model.error == nil)
        await model.signIn(using: .sheet(sheet))
        #expect(model.error == SignInError(.denied))
        #expect(Self.word(model) == "signed out")
        #expect(!model.isBusy)
        await model.signIn(using: agreeing())
        #expect(model.error == nil)
    }

    @Test("What was found before a sign-in does not replace it, and a late look changes nothing")
    func raced() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        let provider = scene.provider
        let sheet = ScriptedSheet { address, _ throws(SignInError) in try provider.agreeing(address)
        }
        let model = SignInModel(scene.client)
        for isSignedOutAgain in [false, true] {
            let gate = Gate()
            // The sign-out leaves something to be found.
            let bytes = try await storage.read()
            storage.onRead { await gate.pass() }
            let restoring = Task { await model.restore() }
            await gate.arrival()
            await model.signIn(using: .sheet(sheet))
            #expect(Self.word(model) == "signed in")
            if isSignedOutAgain {
                await model.signOut(.local)
                try await waitUntil("the view hears of it") { Self.word(model) == "signed out" }
                try await storage.write(try #require(bytes))
            }
            gate.open()
            await restoring.value
            #expect(Self.word(model) == (isSignedOutAgain ? "signed out" : "signed in"))
            if !isSignedOutAgain {
                let stored = try #require(try await storage.read())
                await model.signOut(.local)
                try await waitUntil("the view hears of it") { Self.word(model) == "signed out" }
                try await storage.write(stored)
            }
        }
    }

    @Test("Neither the model nor its session is kept by what follows the changes")
    func released() async throws {
        weak var model: SignInModel?
        weak var session: Session?
        do {
            let one = SignInModel(scene.client)
            await one.signIn(using: agreeing())
            (model, session) = (one, one.session)
            #expect(session != nil)
        }
        try await waitUntil("both are gone") { model == nil && session == nil }
    }

    @Test("An app that signs in by a backend has the same model")
    func backend() async throws {
        let scene = BackendScene()
        let backend = scene.backend
        let sheet = ScriptedSheet { address, _ throws(SignInError) in
            do {
                return try backend.authorize(address)
            } catch {
                throw SignInError(.denied)
            }
        }
        let model = BackendSignInModel(scene.client)
        await model.restore()
        #expect(model.state?.isSignedOut == true)
        await model.signIn(with: "google", using: .sheet(sheet))
        #expect(model.session?.user.id == "u-1")
        let other = BackendSignInModel(scene.client)
        await other.restore()
        #expect(other.session?.user.id == "u-1")
        let report = await model.signOut()
        #expect(report?.revoked == true)
        try await waitUntil("the view hears of it") { model.session == nil }
        #expect(await model.signOut() == nil)
    }

    @Test("A second press while the sheet is open opens no second one")
    func busy() async throws {
        let gate = Gate()
        let provider = scene.provider
        let sheet = ScriptedSheet { address, _ throws(SignInError) in
            await gate.pass()
            return try provider.agreeing(address)
        }
        let model = SignInModel(scene.client)
        let first = Task { await model.signIn(using: .sheet(sheet)) }
        await gate.arrival()
        #expect(model.isBusy)
        await model.signIn(using: .sheet(sheet))
        await model.restore()
        gate.open()
        await first.value
        #expect(sheet.showings.count == 1)
        #expect(Self.word(model) == "signed in")
        #expect(!model.isBusy)
    }
}

@Suite("Sign-in by what the system shows in the app")
struct NativeSignInTests {
    private let scene = BackendScene()

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
        let restored = try #require(await scene.client.restore().session)
        #expect(restored.user.id == "u-1")
        // One answer uses an attempt up.
        #expect(
            await thrown { _ = try await attempt.complete(idToken: "TOKEN \(attempt.nonce)") }
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
        _ = await thrown {
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
            await thrown { _ = try await scene.client.beginNative(with: "apple") }
                == .rejected(.backendAnswer)
        )
    }

    @Test("A provider's name is a name, and leads nowhere else")
    func names() async {
        for name in ["", "a/b", "../token", "a?b", "apple#"] {
            #expect(
                await thrown { _ = try await scene.client.beginNative(with: name) }
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
            await thrown { _ = try await scene.client.beginNative(with: "apple") }
                == .storage(.laterVersion)
        )
        #expect(try await storage.read() == later)
        for problem in [SignInError.StorageProblem.locked, .entitlementMissing, .noKeyring] {
            storage.failReading(by: problem)
            #expect(
                await thrown { _ = try await scene.client.beginNative(with: "apple") }
                    == .storage(problem)
            )
        }
        #expect(scene.backend.requests.count == 0)
    }
}

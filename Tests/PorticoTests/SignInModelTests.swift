import PorticoBytes
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
        let failed = await Task.failure { _ = try await session.token() }.value
        #expect(failed == .interactionRequired(.sessionEnded))
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

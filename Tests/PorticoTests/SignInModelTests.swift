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
        guard case .signedOut = model.state else {
            Issue.record("no one has signed in")
            return
        }
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

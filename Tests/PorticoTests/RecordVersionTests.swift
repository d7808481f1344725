import PorticoBytes
import Testing

@testable import Portico

@Suite("Records of a later version")
struct RecordVersionTests {
    /// What a later version of the library might write.
    private static let later = Array(#"{"version":3,"everything":"new"}"#.utf8)

    private static func isLater(_ storage: any SessionStorage) async throws -> Bool {
        try await storage.read() == later
    }

    @Test("Such a session is neither restored nor taken for a sign-out")
    func restore() async throws {
        let scene = Scene()
        try await scene.storage.write(Self.later)
        guard case .locked(.laterVersion) = await scene.client.restore() else {
            Issue.record("it is there, for a later version")
            return
        }
        let backend = BackendScene()
        try await backend.storage.write(Self.later)
        guard case .locked(.laterVersion) = await backend.client.restore() else {
            Issue.record("it is there, for a later version")
            return
        }
    }

    @Test("A sign-in does not overwrite it, and where it can, asks for none")
    func signIn() async throws {
        let scene = Scene()
        try await scene.storage.write(Self.later)
        let sheet = ScriptedSheet { _, _ in "" }
        await #expect(throws: SignInError.storage(.laterVersion)) {
            try await scene.client.signIn(using: .sheet(sheet))
        }
        #expect(sheet.showings.isEmpty)
        #expect(await scene.failure() == .storage(.laterVersion))
        #expect(try await Self.isLater(scene.storage))
        let backend = BackendScene()
        try await backend.storage.write(Self.later)
        await #expect(throws: SignInError.storage(.laterVersion)) {
            try await backend.client.signIn(using: .sheet(sheet))
        }
        await #expect(throws: SignInError.storage(.laterVersion)) { try await backend.signIn() }
        #expect(sheet.showings.isEmpty)
        #expect(try await Self.isLater(backend.storage))
    }

    @Test("A session that another app replaced with one is not over, and writes nothing")
    func refresh() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        try await scene.storage.write(Self.later)
        scene.clock.advance(by: 400)
        let failed = await Task.failure { _ = try await session.token() }.value
        #expect(failed == .storage(.laterVersion))
        #expect(session.isActive)
        #expect(scene.provider.requests("/token").count == 1, "the code's only")
        #expect(try await Self.isLater(scene.storage))
    }

    @Test("A sign-out leaves it where it is, and says so")
    func signOut() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        try await scene.storage.write(Self.later)
        let report = await session.signOut(.local)
        #expect(report.storageError == .storage(.laterVersion))
        #expect(!report.localCleared)
        #expect(!session.isActive)
        #expect(try await Self.isLater(scene.storage))
    }
}

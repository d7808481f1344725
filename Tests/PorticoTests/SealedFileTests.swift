import Foundation
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("The sealed file")
struct SealedFileTests {
    private let folder: TemporaryFolder
    private let key = RandomSource.system.bytes(32)
    private var path: String { "\(folder.path)/session" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func bytes() async throws -> [UInt8] {
        try #require(try await PrivateFile(path).read())
    }

    private func failure(_ file: SealedFile) async -> SignInError.Kind? {
        await Task.failure { _ = try await file.read() }.value
    }

    @Test("What is written is read with the same key, and the file shows nothing of it")
    func roundTrip() async throws {
        let file = SealedFile(path, key: key)
        #expect(try await file.read() == nil)
        var sealed: Set<[UInt8]> = []
        for record in [[UInt8](repeating: 7, count: 100_000), [], Array("SECRET".utf8)] {
            try await file.write(record)
            #expect(try await SealedFile(path, key: key).read() == record)
            sealed.insert(try await bytes())
            #expect(try await bytes().count == record.count + 29)
        }
        #expect(sealed.count == 3)
        #expect(!String(decoding: try await bytes(), as: UTF8.self).contains("SECRET"))
        try await file.remove()
        #expect(try await file.read() == nil)
    }

    @Test("A session in it is restored and renewed; with another key it is not signed out")
    func wrongKey() async throws {
        let scene = Scene(storage: SealedFile(path, key: key))
        _ = try await scene.signIn()
        scene.clock.advance(by: 400)
        let session = try await scene.neighbour()
        _ = try await session.token()
        let sealed = try await bytes()
        let other = SealedFile(path, key: RandomSource.system.bytes(32))
        #expect(await failure(other) == .storage(.wrongKey))
        let client = Scene.client(scene.provider, storage: other)
        guard case .locked(.wrongKey) = await client.restore() else {
            Issue.record("it is there, and does not open")
            return
        }
        #expect(try await bytes() == sealed)
        #expect(try await scene.neighbour().user.subject == "alice")
    }

    @Test("A key of another length is refused before anything is written")
    func shortKey() async throws {
        for count in [0, 16, 24, 31, 33] {
            let file = SealedFile(path, key: [UInt8](repeating: 1, count: count))
            #expect(await failure(file) == .storage(.wrongKey))
            let written = await Task.failure { try await file.write([1]) }.value
            #expect(written == .storage(.wrongKey))
        }
        #expect(try await PrivateFile(path).read() == nil)
    }

    @Test("Every changed byte is noticed, and so is what is cut")
    func tampered() async throws {
        let file = SealedFile(path, key: key)
        try await file.write([1, 2, 3])
        let sealed = try await bytes()
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= index == 0 ? 1 : 128
            try await PrivateFile(path).write(changed)
            #expect(await failure(file) == .storage(.wrongKey), "byte \(index)")
            try await PrivateFile(path).write(Array(sealed[..<index]))
            #expect(await failure(file) == .storage(.wrongKey), "\(index) bytes")
        }
        try await PrivateFile(path).write(sealed)
        #expect(try await file.read() == [1, 2, 3])
    }

    @Test("The file of one account does not open as that of another, but may move to a new folder")
    func name() async throws {
        try await SealedFile(path, key: key).write([1])
        let sealed = try await bytes()
        try await PrivateFile("\(folder.path)/other").write(sealed)
        let other = SealedFile("\(folder.path)/other", key: key)
        #expect(await failure(other) == .storage(.wrongKey))
        try await PrivateFile("\(folder.path)/new/session").write(sealed)
        #expect(try await SealedFile("\(folder.path)/new/session", key: key).read() == [1])
    }

    @Test("A file of a later format is told, and a sign-in leaves it alone")
    func laterVersion() async throws {
        let scene = Scene(storage: SealedFile(path, key: key))
        _ = try await scene.signIn()
        var later = try await bytes()
        later[0] = 2
        try await PrivateFile(path).write(later)
        #expect(await scene.failure() == .storage(.laterVersion))
        guard case .locked(.laterVersion) = await scene.client.restore() else {
            Issue.record("a later version has it")
            return
        }
        #expect(try await bytes() == later)
    }

    @Test("Printing it shows no key")
    func printed() {
        let file = SealedFile(path, key: Array("SECRET-SECRET-SECRET-SECRET-1234".utf8))
        var dumped = ""
        dump(file, to: &dumped)
        #expect("\(file)" == "SealedFile")
        #expect(!dumped.contains("SECRET") && !dumped.contains("key"))
    }
}

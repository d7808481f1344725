import Foundation
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("The private file")
struct PrivateFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test("What is written is read, by this user only")
    func roundTrip() async throws {
        let file = PrivateFile("\(folder.path)/a/b/session")
        #expect(try await file.read() == nil)
        try await file.remove()
        let earlier = umask(0)
        defer { umask(earlier) }
        for record in [[1, 2, 3], [], [UInt8](repeating: 7, count: 100_000)] as [[UInt8]] {
            try await file.write(record)
            #expect(try await file.read() == record)
        }
        #expect(try mode("\(folder.path)/a/b/session") == 0o600)
        #expect(try mode("\(folder.path)/a/b") == 0o700)
        #expect(try mode("\(folder.path)/a") == 0o700)
        try await file.remove()
        #expect(try await file.read() == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/a/b").isEmpty)
    }

    @Test("At every moment the old or the new is there, whole")
    func atomic() async throws {
        let file = PrivateFile("\(folder.path)/session")
        let records = (0..<8).map { [UInt8](repeating: $0, count: 20_000 + Int($0)) }
        try await file.write(records[0])
        await withTaskGroup(of: Void.self) { group in
            for record in records {
                group.addTask {
                    // `try?`: what is read is the question.
                    for _ in 0..<5 { try? await file.write(record) }
                }
            }
            group.addTask {
                for _ in 0..<100 {
                    let found = try? await file.read()
                    #expect(found.map(records.contains) == true)
                }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["session"])
    }

    @Test("A write that fails leaves the old record and nothing else")
    func failingWrite() async throws {
        // A folder stands where the file should go.
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/session/x",
            withIntermediateDirectories: true
        )
        let file = PrivateFile("\(folder.path)/session")
        await #expect(throws: SignInError(.storage(.unwritable))) { try await file.write([1]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["session"])
        await #expect(throws: SignInError(.storage(.unreadable))) { try await file.read() }
    }

    @Test(
        "A file that others could read or write is not believed",
        arguments: [0o644, 0o620, 0o606]
    )
    func exposed(mode: Int) async throws {
        let file = PrivateFile("\(folder.path)/session")
        try await file.write([1])
        try FileManager.default.setAttributes(
            [.posixPermissions: mode],
            ofItemAtPath: "\(folder.path)/session"
        )
        await #expect(throws: SignInError(.storage(.exposed))) { try await file.read() }
        try await file.write([2])
        #expect(try await file.read() == [2])
    }

    @Test("A link is not followed, and a file without end is not read")
    func linkAndSize() async throws {
        let target = PrivateFile("\(folder.path)/target")
        try await target.write([1])
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link",
            withDestinationPath: "\(folder.path)/target"
        )
        let link = PrivateFile("\(folder.path)/link")
        await #expect(throws: SignInError(.storage(.unreadable))) { try await link.read() }
        try await link.write([2])
        #expect(try await target.read() == [1])
        try await target.write([UInt8](repeating: 0, count: (1 << 20) + 1))
        await #expect(throws: SignInError(.storage(.unreadable))) { try await target.read() }
    }
}

@Suite("Locks of a storage")
struct SessionLockTests {
    @Test("One at a time, and free again when released or let go of", arguments: [true, false])
    func exclusive(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        let storage: any SessionStorage =
            isFile ? PrivateFile("\(folder.path)/a/session") : InMemory()
        let lock = try #require(try storage.tryLock())
        #expect(try storage.tryLock() == nil)
        lock.release()
        let second = try #require(try storage.tryLock())
        // Released once; a second release would free another holder's.
        lock.release()
        #expect(try storage.tryLock() == nil)
        second.release()
        do { _ = try storage.tryLock() }
        #expect(try storage.tryLock() != nil)
    }

    @Test("Waiting callers get it, one after the other")
    func waiting() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/session"
        let inside = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let lock = try await PrivateFile(path).lock(patience: .seconds(300))
                    defer { lock.release() }
                    #expect(
                        inside.withLock {
                            $0 += 1; return $0
                        } == 1
                    )
                    await Task.yield()
                    inside.withLock { $0 -= 1 }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Patience ends, and a cancelled task does not wait")
    func patience() async throws {
        let storage = InMemory()
        let lock = try #require(try storage.tryLock())
        await #expect(throws: SignInError(.transient(.busy, retryAfter: nil))) {
            try await storage.lock(patience: .milliseconds(20))
        }
        let waiting = Task.failure { _ = try await storage.lock(patience: .seconds(60)) }
        waiting.cancel()
        #expect(await waiting.value == .cancelled(.program))
        lock.release()
    }

    private static let flock = "/usr/bin/flock"

    @Test(
        "The lock holds between processes, both ways, and ends with the process",
        .enabled(if: FileManager.default.isExecutableFile(atPath: flock), "needs flock(1)")
    )
    func processes() async throws {
        let folder = try TemporaryFolder()
        let file = PrivateFile("\(folder.path)/session")
        let lock = try #require(try file.tryLock())
        #expect(try run(["--nonblock", "\(folder.path)/session.lock", "true"]) != 0)
        lock.release()
        #expect(try run(["--nonblock", "\(folder.path)/session.lock", "true"]) == 0)

        let other = try ChildProgram(
            Self.flock,
            ["--no-fork", "\(folder.path)/session.lock", "sleep", "60"]
        )
        try await waitUntil("the other process has the lock") { try file.tryLock() == nil }
        #expect(try file.tryLock() == nil)
        other.signal(SIGKILL)
        other.waitUntilExit()
        #expect(try file.tryLock() != nil)
    }

    private func run(_ arguments: [String]) throws -> Int32 {
        try ChildProgram(Self.flock, arguments).waitUntilExit().status
    }

    @Test(
        "A refresh waits for another process, and then uses what that one stored",
        .enabled(if: FileManager.default.isExecutableFile(atPath: flock), "needs flock(1)")
    )
    func refreshElsewhere() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/session"
        let storage = FaultyStorage(PrivateFile(path))
        let scene = Scene(storage: storage)
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        // What the other process will have stored: a refreshed session.
        var record = try #require(try await scene.storedRecord)
        record.accessToken = SecretText("A-elsewhere")
        record.refreshToken = SecretText("R-elsewhere")
        record.receivedAt = scene.clock.now
        record.expiresAt = scene.clock.now + 300
        try Data(record.serialized()).write(to: URL(filePath: "\(path).next"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: "\(path).next"
        )
        let other = try ChildProgram(
            Self.flock,
            [
                "--no-fork", "\(path).lock", "/bin/sh", "-c",
                "touch '\(path).held'; for n in $(seq 6000); do"
                    + " [ -e '\(path).go' ] && break; sleep 0.01; done;"
                    + " mv '\(path).next' '\(path)'",
            ]
        )
        try await waitUntil("the other process has the lock") {
            FileManager.default.fileExists(atPath: "\(path).held")
        }
        let token = Task { try await session.token() }
        try await waitUntil("the refresh finds the lock taken") { storage.lockRefusals > 0 }
        try Data().write(to: URL(filePath: "\(path).go"))
        #expect(try await token.value == "A-elsewhere")
        other.waitUntilExit()
        #expect(scene.provider.requests("/token").count == 1)
    }
}

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
        await thrown { try await file.read() }
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
        #expect(await client.restore().problem == .wrongKey)
        #expect(try await bytes() == sealed)
        #expect(try await scene.neighbour().user.subject == "alice")
    }

    @Test("A key of another length is refused before anything is written")
    func shortKey() async throws {
        for count in [0, 16, 24, 31, 33] {
            let file = SealedFile(path, key: [UInt8](repeating: 1, count: count))
            #expect(await failure(file) == .storage(.wrongKey))
            let written = await thrown { try await file.write([1]) }
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
        #expect(await scene.client.restore().problem == .laterVersion)
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

import Foundation
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("The data directory") struct DataDirectoryTests {
    private static let folder = ".local/share/portico/server"

    private func mode(_ path: String, of portico: PorticoProcess) throws -> Int? {
        let path = portico.home.appending(path: path).path
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("what the server keeps is for the user who runs it, and for no one else")
    func modes() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let server = try await EarnestServer(in: portico)
        #expect(try mode(Self.folder, of: portico) == 0o700)
        for file in ["portico.sqlite", "key-ring", "serve.lock"] {
            #expect(try mode("\(Self.folder)/\(file)", of: portico) == 0o600, "\(file)")
        }
        try await server.stop()
    }

    @Test("a database whose key ring is gone is not opened, and no new ring takes its place")
    func keyRingGone() throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        #expect(try portico.run(["realm", "create", "acme", "--quiet"]).status == 0)
        let ring = portico.home.appending(path: Self.folder + "/key-ring")
        let kept = try Data(contentsOf: ring)
        try FileManager.default.removeItem(at: ring)
        for arguments in [["realm", "list"], ["serve", "--listen", "127.0.0.1:0"]] {
            let outcome = try portico.run(arguments)
            #expect(outcome.status != 0)
            #expect(outcome.stderr.contains("(key-ring)"))
            #expect(!FileManager.default.fileExists(atPath: ring.path))
        }
        try kept.write(to: ring)
        // Back from the backup, with the mode that the copy got.
        #expect(chmod(ring.path, 0o640) == 0)
        #expect(try portico.run(["realm", "list"]).stderr.contains("(key-ring)"))
        #expect(chmod(ring.path, 0o600) == 0)
        #expect(try portico.run(["realm", "list", "--plain"]).stdout.contains("acme"))
    }

    @Test("a demonstration has a folder of its own, unless one is named")
    func demo() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let server = try portico.start(["serve", "--demo", "--listen", "127.0.0.1:0"])
        _ = try await server.wait(forOutput: /Try +\S+ login .*\n/)
        server.process.terminate()
        #expect(try await server.ended() == 0)
        #expect(try mode(Self.folder + "/demo/portico.sqlite", of: portico) == 0o600)
        let own = portico.home.appending(path: Self.folder + "/portico.sqlite").path
        #expect(!FileManager.default.fileExists(atPath: own))
    }

    @Test("the lock is no link: a server neither follows it nor empties what it leads to")
    func link() throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let directory = DataDirectory(path: portico.home.path + "/data")
        try directory.create()
        let other = portico.home.appending(path: "other")
        try Data("what somebody else keeps".utf8).write(to: other)
        try FileManager.default.createSymbolicLink(
            atPath: directory.serverLock,
            withDestinationPath: other.path
        )
        #expect(throws: Failure.self) { try ServerLock(directory) }
        #expect(try Data(contentsOf: other) == Data("what somebody else keeps".utf8))
    }
}

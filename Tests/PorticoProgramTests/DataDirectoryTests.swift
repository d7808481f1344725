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
        try portico.done(["realm", "create", "acme", "--quiet"])
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
        let server = try portico.start(["serve", "--demo", "--listen", "127.0.0.1:0"])
        _ = try await server.wait(forOutput: /Try +\S+ login .*\n/)
        server.process.terminate()
        #expect(try await server.ended() == 0)
        #expect(try mode(Self.folder + "/demo/portico.sqlite", of: portico) == 0o600)
        let own = portico.home.appending(path: Self.folder + "/portico.sqlite").path
        #expect(!FileManager.default.fileExists(atPath: own))
    }

    @Test(
        "a folder that may not be looked into is not one without data, and its owner is named",
        .enabled("needs root, to give a folder away") { PorticoProcess.mayMindModes }
    )
    func closed() throws {
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "acme", "--quiet"])
        let folder = portico.home.appending(path: Self.folder).path
        #expect(chown(folder, 65_534, 65_534) == 0)
        for arguments in [
            ["realm", "list"], ["realm", "create", "next"], ["realm", "create", "next", "-n"],
            ["user", "create", "ann", "--without-password"], ["events"],
        ] {
            let outcome = try portico.run(arguments, mindsModes: true)
            #expect(outcome.status == 1, "\(arguments)")
            #expect(
                outcome.stderr.contains("cannot be read: Permission denied. (data-directory)"),
                "\(outcome.stderr)"
            )
            #expect(outcome.stderr.contains("and portico runs as root: run it as "))
            #expect(outcome.stderr.contains("or: sudo chown -R "))
            #expect(!outcome.stderr.contains("There is no server data"))
        }
        func doctor(_ more: [String] = []) throws -> Found {
            try Found(portico.run(["doctor", "--offline", "--json"] + more, mindsModes: true))
        }
        try doctor().expectProblem("cannot be read", fix: "It belongs to ")
        // Further in, the folder that is closed is named, and no one is told to take it over.
        let inner = try portico.run(
            ["realm", "list", "--data-directory", folder + "/inner/server"],
            mindsModes: true
        )
        #expect(inner.stderr.contains("\(folder): It belongs to "), "\(inner.stderr)")
        #expect(!inner.stderr.contains("chown"))
    }

    @Test("a data directory that is a file, or that leads nowhere, is not one without data")
    func noFolder() throws {
        let portico = try PorticoProcess()
        try Data().write(to: portico.home.appending(path: "file"))
        let place = ["--data-directory", "file"]
        for arguments in [["realm", "list"], ["realm", "create", "acme"]] {
            let outcome = try portico.run(arguments + place)
            #expect(outcome.stderr.contains("file is not a folder. (data-directory)"))
        }
        try Found(portico.run(["doctor", "--offline", "--json"] + place))
            .expectProblem("file is not a folder.", fix: "--data-directory PATH")
        try FileManager.default.createSymbolicLink(
            atPath: portico.home.path + "/loop",
            withDestinationPath: "loop"
        )
        let loop = try portico.run(["realm", "list", "--data-directory", "loop"])
        #expect(loop.stderr.contains("loop cannot be read: "), "\(loop.stderr)")
    }

    @Test(
        "a folder that takes no writes is said to be that",
        .enabled("needs root, to keep it from writing") { PorticoProcess.mayMindModes }
    )
    func readOnly() throws {
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "acme", "--quiet"])
        let folder = portico.home.appending(path: Self.folder).path
        #expect(chmod(folder, 0o500) == 0)
        let why = "The folder \(folder) cannot be written: Permission denied."
        for arguments in [["realm", "list"], ["realm", "create", "next"]] {
            let outcome = try portico.run(arguments, mindsModes: true)
            #expect(outcome.stderr.contains(why), "\(outcome.stderr)")
            #expect(outcome.stderr.contains("chmod 700 \(folder)"))
        }
        let doctor = try portico.run(["doctor", "--offline", "--json"], mindsModes: true)
        try Found(doctor).expectProblem("cannot be written", fix: "chmod 700 ")
    }

    @Test("the lock is no link: a server neither follows it nor empties what it leads to")
    func link() throws {
        let portico = try PorticoProcess()
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

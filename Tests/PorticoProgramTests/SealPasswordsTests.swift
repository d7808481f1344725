import Foundation
import PorticoBytes
import PorticoSeals
import Testing

@testable import PorticoProgram

@Suite("The passwords of sid") struct SealPasswordsTests {
    private static let good = "1 \(RandomSource.system.text(32))\n"

    private func write(_ text: String, mode: Int = 0o600, in portico: PorticoProcess) throws
        -> String
    {
        let file = portico.home.appending(path: "passwords")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode],
            ofItemAtPath: file.path
        )
        return file.path
    }

    @Test(
        "decision 0056: a file of passwords that is no good stops the start",
        arguments: [
            ("1 short\n", 0o600, "32 characters"), ("nothing\n", 0o600, "Line 1"),
            (good, 0o640, "others"), ("", 0o600, "id"),
        ]
    )
    func refused(_ text: String, _ mode: Int, _ what: String) throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let path = try write(text, mode: mode, in: portico)
        let outcome = try portico.run([
            "serve", "--listen", "127.0.0.1:0", "--sid-password-file", path,
        ])
        #expect(outcome.status != 0)
        #expect(outcome.stderr.contains(what), "\(outcome.stderr)")
        #expect(outcome.stderr.contains("(wrong-value)"))
        #expect(!outcome.stderr.contains("short\n"))
    }

    @Test("a file that is named and not there stops the start, and none is made")
    func missing() throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let path = portico.home.path + "/none"
        let outcome = try portico.run([
            "serve", "--listen", "127.0.0.1:0", "--sid-password-file", path,
        ])
        #expect(outcome.stderr.contains("no such file"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "IRON-K-5: a good file is read at the start; a password that is easy to guess is warned of"
    )
    func read() async throws {
        for (text, isWarned) in [
            (Self.good, false), ("7 \(String(repeating: "ab", count: 20))\n", true),
        ] {
            let portico = try PorticoProcess()
            defer { portico.remove() }
            let path = try write(text, in: portico)
            let server = try await EarnestServer(in: portico, ["--sid-password-file", path])
            try await server.stop()
            #expect(
                server.running.stderr.contains("a password of sid is easy to guess") == isWarned
            )
        }
    }

    @Test("where they are needed they are made once, in the data folder; else they are not")
    func made() throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        var settings = Settings(dataDirectory: portico.home.path + "/data")
        let installation = try Installation.open(settings, missing: .create)
        let path = installation.directory.sealPasswords
        #expect(try installation.sealPasswords(isNeeded: false) == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try installation.sealPasswords(isNeeded: true)?.weakIDs == [])
        let made = try Data(contentsOf: URL(filePath: path))
        #expect(try installation.sealPasswords(isNeeded: true) != nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == made)
        settings.sidPasswordFile = path
        #expect(
            try Installation.open(settings, missing: .fail).sealPasswords(isNeeded: false) != nil
        )
    }
}

import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("The passwords of sid") struct SealPasswordsTests {
    private static let good = "1 \(RandomSource.system.text(32))\n"

    private func write(_ text: String, mode: Int = 0o600, in portico: PorticoProcess) throws
        -> String
    {
        let file = portico.home.appending(path: "passwords")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
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
            let path = try write(text, in: portico)
            let server = try await EarnestServer(in: portico, ["--sid-password-file", path])
            try await server.stop()
            #expect(
                server.running.stderr.contains("a password of sid is easy to guess") == isWarned
            )
        }
    }

    @Test(
        "decision 0060: a password that is taken out opens nothing any more, without a new start of the server"
    )
    func takenOut() async throws {
        let server = try await DemoServer()
        let file = server.portico.home.appending(path: "demo/seal-passwords").path
        let seal = try IronSession(IronPasswords.load(file)).seal(
            ["did": "did:plc:abcdefghijklmnopqrstuvwx"],
            seconds: 600,
            at: Int64(Date().timeIntervalSince1970 * 1000),
            random: .system
        )
        func isAnswered(_ reason: String) async -> Bool {
            let cookie = "Cookie: sid=\(seal)"
            let reply = await RawExchange.get("/api/auth/session", port: server.port, [cookie])
            return reply?.status == 401 && reply?.body.contains(reason) == true
        }
        // It opens, and names no one who is here.
        let opens = await isAnswered("SESSION_EXPIRED")
        #expect(opens)
        let next = file + ".next"
        let line = Data("9 \(RandomSource.system.text(32))\n".utf8)
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        #expect(FileManager.default.createFile(atPath: next, contents: line, attributes: mode))
        #expect(rename(next, file) == 0)
        try await waitUntil("it opens nothing") { await isAnswered("INVALID_COOKIE") }
    }

    @Test("where they are needed they are made once, in the data folder; else they are not")
    func made() throws {
        let portico = try PorticoProcess()
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

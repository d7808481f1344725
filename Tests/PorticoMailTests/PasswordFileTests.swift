import Foundation
import PorticoBytes
import PorticoMail
import Testing

@Suite("Passwords in files")
struct PasswordFileTests {
    private func file(_ text: String, mode: Int = 0o600) throws -> String {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "portico-password-\(UUID().uuidString)")
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url.path
    }

    @Test("One line, whose end is not part of it")
    func good() throws {
        for text in ["secret", "secret\n", "secret\r\n"] {
            let path = try file(text)
            defer { unlink(path) }
            #expect(try PasswordFile.read(path).reveal() == "secret")
        }
    }

    @Test("What others can read is no secret", arguments: [0o640, 0o604, 0o660, 0o622, 0o644])
    func exposed(mode: Int) throws {
        let path = try file("secret", mode: mode)
        defer { unlink(path) }
        #expect(throws: PasswordFile.Refusal.exposed) { try PasswordFile.read(path) }
    }

    @Test("No password, or more than one, is none")
    func malformed() throws {
        for text in ["", "\n", "a\nb", "a\0", String(repeating: "a", count: 5000)] {
            let path = try file(text)
            defer { unlink(path) }
            #expect(throws: PasswordFile.Refusal.malformed, "\(text.prefix(10))") {
                try PasswordFile.read(path)
            }
        }
        #expect(throws: PasswordFile.Refusal.missing) { try PasswordFile.read("/nowhere") }
        #expect(throws: PasswordFile.Refusal.notAFile) { try PasswordFile.read("/dev/null") }
    }
}

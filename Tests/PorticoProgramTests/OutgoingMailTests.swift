import Foundation
import PorticoMail
import Testing

@testable import PorticoProgram

@Suite("Settings for mail")
struct OutgoingMailTests {
    private func settings(_ change: (inout Settings) throws -> Void) rethrows -> Settings {
        var settings = Settings(dataDirectory: "")
        try change(&settings)
        return settings
    }

    @Test("Without a way to send mail there is none, and nothing else about mail may be set")
    func none() throws {
        let none = try OutgoingMail(settings { _ in }, environment: [:])
        #expect(none == nil)
        let failure = #expect(throws: Failure.self) {
            try OutgoingMail(
                settings { $0.mailFrom = try MailSender("a@example.com") },
                environment: [:]
            )
        }
        #expect(failure?.problem == .wrongValue)
    }

    @Test("A server or a command, not both, and a sender")
    func one() async throws {
        let server = try SMTPServer("smtp://mail.example.com")
        let from = try MailSender("Team <team@example.com>")
        let whole = settings {
            $0.mailFrom = from
            $0.mailSMTP = server
        }
        let mail = try #require(try OutgoingMail(whole, environment: [:]))
        #expect(mail.from == from)
        #expect(mail.transport is SMTPSubmission)
        await mail.transport.shutDown()
        let command = try #require(
            try OutgoingMail(
                settings {
                    $0.mailFrom = from
                    $0.mailSendmail = "/usr/sbin/sendmail"
                },
                environment: [:]
            )
        )
        #expect(command.transport is SendmailCommand)
        await command.transport.shutDown()
        for wrong in [
            settings { $0.mailSMTP = server },
            settings {
                $0.mailFrom = from
                $0.mailSMTP = server
                $0.mailSendmail = "/usr/sbin/sendmail"
            },
        ] {
            let failure = #expect(throws: Failure.self) {
                try OutgoingMail(wrong, environment: [:])
            }
            #expect(failure?.problem == .wrongValue)
        }
    }

    @Test("A user needs a password, which is in a file of its own, for no one else to read")
    func password() async throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "portico-mail-\(UUID().uuidString)").path
        try Data("correct horse\n".utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        chmod(path, 0o600)
        var whole = try settings {
            $0.mailFrom = try MailSender("a@example.com")
            $0.mailSMTP = try SMTPServer("smtps://ann@mail.example.com")
            $0.mailPasswordFile = path
        }
        let mail = try #require(try OutgoingMail(whole, environment: [:]))
        await mail.transport.shutDown()
        chmod(path, 0o644)
        let exposed = #expect(throws: Failure.self) { try OutgoingMail(whole, environment: [:]) }
        #expect(exposed?.problem == .secretMissing)
        whole.mailPasswordFile = nil
        let missing = #expect(throws: Failure.self) { try OutgoingMail(whole, environment: [:]) }
        #expect(missing?.problem == .secretMissing)
    }
}

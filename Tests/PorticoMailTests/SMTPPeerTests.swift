import Foundation
import PorticoBytes
import PorticoMail
import PorticoTestSupport
import Testing

@Suite(
    "Mail to aiosmtpd",
    .serialized,
    .enabled(
        if: MailServer.isPossible && TestCertificate.isPossible,
        "needs TEST_SMTPD and openssl"
    )
)
struct SMTPPeerTests {
    private let user = "ann@example.com"
    private let password = "correct horse battery staple"

    private func submission(
        _ server: MailServer,
        _ security: SMTPServer.Security,
        host: String = "localhost",
        password: String? = nil,
        trusting: String?
    ) throws -> SMTPSubmission {
        try SMTPSubmission(
            to: SMTPServer(host: host, port: server.port, security: security, user: user),
            password: SecretText(password ?? self.password),
            trusting: trusting,
            limits: SMTPLimits(connecting: 10, whole: 20)
        )
    }

    @Test(
        "RFC 6409, RFC 8314 §3: a mail over TLS, signed in, as it was written",
        arguments: [MailServer.Security.starttls, .implicit]
    )
    func walk(security: MailServer.Security) async throws {
        let certificate = try await TestCertificate()
        let server = try await MailServer(
            security,
            certificate: certificate,
            user: user,
            password: password
        )
        let submission = try submission(
            server,
            security == .implicit ? .tls : .startTLS,
            trusting: certificate.authority
        )
        let mails = [
            try sample(lines: ["one", ".", "..two", "From here", "Größe = 5 ", ""]),
            try sample(
                from: "خدمة الدخول <portico@example.com>",
                subject: arabicSubject,
                lines: arabicLines,
                language: "ar"
            ),
        ]
        for (index, mail) in mails.enumerated() {
            try await submission.send(mail)
            let received = try await server.mail(index)
            #expect(received.defects == [])
            #expect(received.source == String(decoding: mail.bytes, as: UTF8.self))
            #expect(received.headers["subject"] == mail.subject)
            // The last line's end is the boundary's.
            let text = received.text.trimmingCharacters(in: .newlines)
            let lines = mail.lines.joined(separator: "\r\n")
            #expect(text == lines.trimmingCharacters(in: .newlines))
            #expect(received.from == "portico@example.com")
            #expect(received.to == ["ann@example.net"])
            #expect(received.user == user)
            #expect(received.isEncrypted)
            #expect(received.headers["auto-submitted"] == "auto-generated")
            #expect(received.headers["message-id"] == mail.messageID)
            #expect(received.html.contains("lang=\"\(mail.language)\""))
        }
        #expect(try await server.mail(1).headers["from"] == "خدمة الدخول <portico@example.com>")
        await submission.shutDown()
    }

    @Test(
        "RFC 8314 §4: a certificate for another host, or from an unknown authority, ends the conversation",
        arguments: [MailServer.Security.starttls, .implicit]
    )
    func certificates(security: MailServer.Security) async throws {
        let certificate = try await TestCertificate()
        let server = try await MailServer(
            security,
            certificate: certificate,
            user: user,
            password: password
        )
        let ours = security == .implicit ? SMTPServer.Security.tls : .startTLS
        let other = try await TestCertificate()
        for (host, authority) in [
            ("localhost", nil), ("localhost", other.authority),
            ("127.0.0.1", certificate.authority),
        ] {
            let submission = try submission(server, ours, host: host, trusting: authority)
            let failure = await #expect(throws: DeliveryFailure.self) {
                try await submission.send(try sample())
            }
            #expect(failure?.reason == .untrusted, "\(host)")
            #expect(failure?.isPermanent == false)
            await submission.shutDown()
        }
        #expect(server.count == 0)
    }

    @Test("RFC 4954 §6: a wrong password sends nothing and is told as such")
    func wrongPassword() async throws {
        let certificate = try await TestCertificate()
        let server = try await MailServer(
            .starttls,
            certificate: certificate,
            user: user,
            password: password
        )
        let submission = try submission(
            server,
            .startTLS,
            password: "wrong",
            trusting: certificate.authority
        )
        let failure = await #expect(throws: DeliveryFailure.self) {
            try await submission.send(try sample())
        }
        #expect(failure?.reason == .loginRefused)
        #expect(server.count == 0)
        await submission.shutDown()
    }

    @Test("RFC 3207 §4: a server without STARTTLS gets neither mail nor password")
    func withoutSTARTTLS() async throws {
        let server = try await MailServer(.none, user: user, password: password)
        let submission = try submission(server, .startTLS, trusting: nil)
        let failure = await #expect(throws: DeliveryFailure.self) {
            try await submission.send(try sample())
        }
        #expect(failure?.reason == .notEncrypted)
        #expect(server.count == 0)
        await submission.shutDown()
    }

    @Test("At a loopback literal a mail goes in the clear, and no variable sends it elsewhere")
    func loopback() async throws {
        let server = try await MailServer()
        let submission = try SMTPSubmission(
            to: SMTPServer("smtp://127.0.0.1:\(server.port)"),
            password: nil
        )
        try await submission.send(try sample())
        #expect(try await server.mail().headers["subject"] == "Your code")
        await submission.shutDown()
    }
}

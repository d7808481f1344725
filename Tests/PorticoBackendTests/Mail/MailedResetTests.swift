import Foundation
import Logging
import PorticoBackend
import PorticoBytes
import PorticoMail
import PorticoPages
import PorticoStores
import PorticoTestSupport
import Testing

/// The Provider's mails on their way through the outbox and a mail server that is not ours.
@Suite(
    "A forgotten password, by a mail that was really sent",
    .enabled(if: MailServer.isPossible, "needs TEST_SMTPD"),
    .serialized
)
struct MailedResetTests {
    /// Sends what waits, and gives the mails back as a mail program reads them.
    private func sent(_ server: ProviderUnderTest, _ post: MailServer, _ count: Int) async throws
        -> [ReceivedMail]
    {
        let submission = try SMTPSubmission(
            to: SMTPServer("smtp://127.0.0.1:\(post.port)"),
            password: nil
        )
        let (ring, clock) = (server.ring, server.clock)
        let sender = OutboxSender(
            outbox: server.database.outbox,
            transport: submission,
            from: try MailSender("Test <test@example.com>"),
            clock: Clock { clock.now },
            logger: Logger(label: "test")
        ) { draft, language in
            try MailText(draft, ring: ring) { $0 }
                .text(in: language, service: draft.service ?? "Portico")
        }
        try await sender.sendDue()
        await submission.shutDown()
        var mails: [ReceivedMail] = []
        for index in 0..<count { mails.append(try await post.mail(index)) }
        return mails
    }

    @Test(
        "WEB-PW-7: the link in the mail that arrives leads to a new password, and the notice follows"
    )
    func reset() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let post = try await MailServer()
        let browser = TestBrowser(server)
        let bare = try await browser.get("/realms/test/login-actions/reset-credentials")
        let form = [("email", "ALICE@example.com"), ("action", "send")]
        #expect(try await browser.submit(bare, form).status == 200)
        let mail = try #require(try await sent(server, post, 1).first)
        #expect(mail.to == ["alice@example.com"])
        #expect(mail.headers["subject"] == "Choose a new password for Test")
        #expect(mail.defects.isEmpty)
        let link = try #require(
            mail.text.firstMatch(of: /https:\/\/op\.example\.com(\/\S+new-password\?key=\S{43})\s/)
        )
        let page = try await browser.get(String(link.1))
        let done = try await browser.submit(page, [("password", "a river runs backwards")])
        #expect(done.text.contains("Your password has been changed"))
        let notice = try #require(try await sent(server, post, 2).last)
        #expect(notice.headers["subject"] == "Your password was changed")
        #expect(!notice.text.contains("key="))
    }
}

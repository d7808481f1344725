import Foundation
import Logging
import PorticoBackend
import PorticoBytes
import PorticoMail
import PorticoPages
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("Mails that wait are sent")
struct OutboxSenderTests {
    /// Takes mails as a test wants it.
    private final class Post: MailTransport {
        private let state = Locked<(taken: [Mail], tries: Int, answers: [DeliveryFailure?])>(
            ([], 0, [])
        )

        /// - Parameter answers: For the next mails; afterwards each is taken.
        init(_ answers: [DeliveryFailure?] = []) {
            state.withLock { $0.answers = answers }
        }

        var taken: [Mail] { state.withLock { $0.taken } }
        var tries: Int { state.withLock { $0.tries } }

        func send(_ mail: Mail) async throws(DeliveryFailure) {
            let failure = state.withLock { state in
                state.tries += 1
                let failure = state.answers.isEmpty ? nil : state.answers.removeFirst()
                if failure == nil { state.taken.append(mail) }
                return failure
            }
            if let failure { throw failure }
        }

        func shutDown() async {}
    }

    private let stores: TestDatabase
    private let clock = StoppedClock()
    private let ring: KeyRing
    private let log = RecordedLog()

    init() throws {
        stores = try TestDatabase.inMemory()
        ring = try KeyRing(random: .system)
    }

    private var now: Int64 { Int64(clock.now.timeIntervalSince1970) }

    private func sender(_ transport: any MailTransport) throws -> OutboxSender {
        let (clock, ring) = (clock, ring)
        return OutboxSender(
            outbox: stores.outbox,
            transport: transport,
            from: try MailSender("Team <team@example.com>"),
            clock: Clock { clock.now },
            logger: log.logger
        ) { draft, language in
            try Self.text(draft, ring).text(in: language, service: "Example")
        }
    }

    private static func text(_ draft: MailDraft, _ ring: KeyRing) throws -> MailText {
        switch draft.message {
        case .confirmationCode(let sealed, _, let minutes):
            let vault = SealedAtRest(ring: ring, purpose: "mailed code")
            let code = try vault.open(Base64URL.decode(sealed) ?? [], for: draft.id.text)
            return .confirmationCode(
                code: String(decoding: code, as: UTF8.self),
                use: .confirmAddress(draft.to ?? ""),
                minutes: minutes
            )
        case .newDevice(let device, let time, let provider):
            return .newDevice(device: device, at: time, provider: provider)
        case .wayAdded(let provider): return .methodAdded(provider: provider)
        default: return .accountDeleted
        }
    }

    private func sealed(_ code: String, for id: UniqueID, _ ring: KeyRing) -> String {
        let vault = SealedAtRest(ring: ring, purpose: "mailed code")
        return Base64URL.encode(vault.seal(Array(code.utf8), for: id.text, random: .system))
    }

    @discardableResult
    private func queue(
        _ message: (UniqueID) -> MailDraft.Message = { _ in .wayAdded(provider: "Google") },
        to: String = "ann@example.net",
        language: String = "en"
    ) async throws -> UniqueID {
        let id = UniqueID(random: .system)
        try await stores.outbox.add(
            MailDraft(id: id, to: to, message: message(id), language: language, createdAt: now)
        )
        return id
    }

    private func code(_ code: String, minutes: Int = 10) -> (UniqueID) -> MailDraft.Message {
        { id in
            .confirmationCode(
                sealedCode: sealed(code, for: id, ring),
                use: .confirmAddress,
                minutes: minutes
            )
        }
    }

    private func mail(_ id: UniqueID) async throws -> OutboxMail {
        try #require(try await stores.outbox.latest(limit: 100).first { $0.draft.id == id })
    }

    @Test(
        "A mail is sent once, in its language, with the code that was sealed",
        arguments: ["en", "de", "ar"]
    )
    func sent(language: String) async throws {
        let id = try await queue(code("123456"), language: language)
        let post = Post()
        let sender = try sender(post)
        try await sender.sendDue()
        try await sender.sendDue()
        clock.advance(by: 100_000)
        try await sender.sendDue()
        #expect(post.tries == 1)
        let sent = try #require(post.taken.first)
        #expect(sent.to.text == "ann@example.net")
        #expect(sent.language == language)
        #expect(sent.lines.contains("123456"))
        #expect(sent.messageID.contains(id.text))
        #expect(try await mail(id).sentAt == now - 100_000)
    }

    @Test("RFC 5321 §4.5.4.1: refused for now it waits longer and longer, up to a day")
    func waits() async throws {
        let id = try await queue()
        let post = Post(Array(repeating: DeliveryFailure(.refused), count: 100))
        let sender = try sender(post)
        let start = now
        var dueAt: [Int64] = []
        while let next = try await mail(id).dueAt {
            dueAt.append((next - start) / 60)
            clock.advance(by: Double(next - now))
            try await sender.sendDue()
            guard dueAt.count < 50 else { break }
        }
        #expect(dueAt == [0, 1, 6, 36, 156, 396, 636, 876, 1116, 1356])
        #expect(try await mail(id).sentAt == nil)
        #expect(log.text.contains("mail given up"))
        clock.advance(by: 1_000_000)
        try await sender.sendDue()
        #expect(post.tries == 10)
    }

    @Test("Refused for good it is not tried again, and the others are sent")
    func refused() async throws {
        let first = try await queue()
        let second = try await queue(to: "bob@example.net")
        let post = Post([DeliveryFailure(.refused, isPermanent: true)])
        try await sender(post).sendDue()
        #expect(post.taken.count == 1)
        let mails = [try await mail(first), try await mail(second)]
        #expect(mails.count { $0.sentAt != nil } == 1)
        #expect(mails.allSatisfy { $0.dueAt == nil })
    }

    @Test("A code is not sent when it is of no more use")
    func expired() async throws {
        let late = try await queue(code("123456", minutes: 10))
        clock.advance(by: 600)
        let post = Post()
        try await sender(post).sendDue()
        #expect(post.tries == 0)
        #expect(try await mail(late).dueAt == nil)
        // And not tried again when it will not be by then.
        let soon = try await queue(code("654321", minutes: 3))
        let refusing = Post(Array(repeating: DeliveryFailure(.unreachable), count: 9))
        try await sender(refusing).sendDue()
        #expect(try await mail(soon).dueAt == now + 60)
        clock.advance(by: 60)
        try await sender(refusing).sendDue()
        #expect(try await mail(soon).dueAt == nil)
        #expect(refusing.tries == 2)
    }

    @Test("What cannot be written is given up, and keeps no other mail back")
    func unwritable() async throws {
        let foreign = try KeyRing(random: .system)
        let other = try await queue { id in
            .confirmationCode(
                sealedCode: self.sealed("123456", for: id, foreign),
                use: .confirmAddress,
                minutes: 10
            )
        }
        let moved = self.sealed("123456", for: UniqueID(random: .system), ring)
        let exchanged = try await queue { _ in
            .confirmationCode(sealedCode: moved, use: .confirmAddress, minutes: 10)
        }
        let broken = try await queue { _ in
            .confirmationCode(sealedCode: "?", use: .confirmAddress, minutes: 10)
        }
        let nowhere = try await queue(to: "ann@localhost")
        let good = try await queue()
        let post = Post()
        try await sender(post).sendDue()
        #expect(post.taken.map(\.messageID) == ["<\(good.text)@example.com>"])
        for id in [other, exchanged, broken, nowhere] {
            #expect(try await mail(id).dueAt == nil)
            #expect(try await mail(id).sentAt == nil)
        }
    }

    @Test("A device's name that would break a mail is mended: the notice is sent")
    func hostileDevice() async throws {
        let device = "\r\nBcc: bob@example.com\u{202E}\u{7F} https://evil.example/ \u{E000}"
        try await queue { _ in .newDevice(device: device, at: now, provider: "Google\r\nX: y") }
        let post = Post()
        try await sender(post).sendDue()
        let text = String(decoding: try #require(post.taken.first).bytes, as: UTF8.self)
        #expect(!text.contains("\r\nBcc"))
        #expect(!text.contains("evil.example"))
        #expect(!text.contains("\r\nX:"))
    }

    @Test("Broken off, a mail comes back; no one else gets it meanwhile")
    func cancelled() async throws {
        let id = try await queue()
        let post = Post([DeliveryFailure(.cancelled)])
        try await sender(post).sendDue()
        #expect(post.taken.isEmpty)
        try await sender(post).sendDue()
        // Not even when the pause after a failure would be over.
        clock.advance(by: 299)
        try await sender(post).sendDue()
        #expect(post.tries == 1)
        clock.advance(by: 1)
        try await sender(post).sendDue()
        #expect(post.taken.count == 1)
        #expect(try await mail(id).sentAt == now)
    }

    @Test("Of several senders one gets a mail, and none is forgotten", arguments: 0..<20)
    func race(round: Int) async throws {
        for _ in 0..<12 { try await queue() }
        let post = Post([nil, DeliveryFailure(.unreachable)])
        let senders = try (0..<4).map { _ in try sender(post) }
        try await withThrowingTaskGroup { group in
            for sender in senders { group.addTask { try await sender.sendDue() } }
            try await group.waitForAll()
        }
        #expect(post.tries == 12)
        clock.advance(by: 60)
        try await senders[0].sendDue()
        #expect(post.tries == 13)
        #expect(Set(post.taken.map(\.messageID)).count == 12)
    }

    @Test("The log has neither who gets a mail nor what it says")
    func logged() async throws {
        try await queue(code("123456"))
        try await queue { _ in .newDevice(device: "Anns phone", at: now, provider: "Google") }
        let post = Post([DeliveryFailure(.refused), DeliveryFailure(.refused, isPermanent: true)])
        try await sender(post).sendDue()
        clock.advance(by: 60)
        try await sender(post).sendDue()
        let text = log.text
        for word in ["mail sent", "mail waits", "mail given up", "try"] {
            #expect(text.contains(word), "\(word)")
        }
        for word in ["ann", "Ann", "example", "123456", "phone"] {
            #expect(!text.contains(word), "\(word)")
        }
    }
}

/// What was logged, as a server writes it.
final class RecordedLog: Sendable {
    let logger: Logger
    private let writer: LogWriter
    private let written = Locked<[UInt8]>([])

    init() {
        let written = written
        let noon = Date(timeIntervalSince1970: 1_800_000_000)
        let writer = LogWriter(format: .logfmt, clock: { noon }) { bytes in
            written.withLock { $0 += bytes }
        }
        self.writer = writer
        logger = Logger(label: "test") { label in
            LineLogHandler(
                label: label,
                level: .trace,
                format: .logfmt,
                writer: writer,
                clock: { noon }
            )
        }
    }

    var text: String {
        writer.flush()
        return String(decoding: written.withLock { $0 }, as: UTF8.self)
    }
}

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

    @Test("WEB-PW-7: the link in the mail leads to a new password, and the notice follows")
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

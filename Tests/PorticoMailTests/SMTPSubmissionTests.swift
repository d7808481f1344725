import Foundation
import PorticoBytes
import PorticoMail
import PorticoTestSupport
import Testing

@Suite("Mail to a mail server", .serialized)
struct SMTPSubmissionTests {
    /// Sends the mail and says what came of it.
    private func send(
        _ mail: Mail,
        to server: SMTPServer,
        password: SecretText? = nil,
        limits: SMTPLimits = SMTPLimits(connecting: 10, whole: 20)
    ) async throws -> DeliveryFailure? {
        let submission = try SMTPSubmission(to: server, password: password, limits: limits)
        defer { Task { await submission.shutDown() } }
        return await outcome(of: mail, over: submission)
    }

    private func send(
        _ replies: [String: String],
        _ user: String? = nil,
        limits: SMTPLimits = SMTPLimits(connecting: 10, whole: 20)
    ) async throws -> (DeliveryFailure?, [String]) {
        let server = try #require(ScriptedSMTP(replies))
        let failure = try await send(
            try sample(),
            to: SMTPServer(host: "127.0.0.1", port: server.port, security: .none, user: user),
            password: user.map { _ in SecretText("correct horse") },
            limits: limits
        )
        return (failure, server.lines)
    }

    @Test("RFC 5321 §3.3: sender, recipient and text, and the text is what was written")
    func conversation() async throws {
        let (failure, lines) = try await send([:])
        #expect(failure == nil)
        let commands = lines.filter { $0.hasPrefix("MAIL") || $0.hasPrefix("RCPT") }
        #expect(commands[0].hasPrefix("MAIL FROM:<portico@example.com>"))
        #expect(commands[1] == "RCPT TO:<ann@example.net>")
        let start = try #require(lines.firstIndex(of: "DATA"))
        let end = try #require(lines.firstIndex(of: "."))
        let text = lines[(start + 1)..<end].map { $0 + "\r\n" }.joined()
        #expect(text == String(decoding: try sample().bytes, as: UTF8.self))
    }

    @Test(
        "RFC 5321 §4.2.1: a reply of the 400s passes, one of the 500s to the mail does not",
        arguments: [
            ("MAIL", "451 4.3.0 later", false, "4.3.0"), ("MAIL", "550 5.7.1 no", true, "5.7.1"),
            ("RCPT", "450 4.2.1 busy", false, "4.2.1"),
            ("RCPT", "550 5.1.1 unknown", true, "5.1.1"),
            ("RCPT", "421 closing", false, nil), ("RCPT", "503 no", true, nil),
            ("DATA", "452 4.3.1 full", false, "4.3.1"), ("DATA", "554 no", true, nil),
            ("text", "451 again", false, nil), ("text", "554 5.6.0 spam", true, "5.6.0"),
            ("text", "552-too\r\n552 5.3.4 large", true, "5.3.4"),
        ] as [(String, String, Bool, String?)]
    )
    func refused(word: String, reply: String, isPermanent: Bool, enhanced: String?) async throws {
        let (failure, lines) = try await send([word: reply])
        let found = try #require(failure)
        #expect(found.reason == .refused)
        #expect(found.isPermanent == isPermanent)
        #expect(found.reply?.code == Int(reply.prefix(3)))
        #expect(found.reply?.enhancedCode == enhanced)
        // If refused before the text is sent, no one learns it.
        #expect(lines.contains { $0.hasPrefix("Subject:") } == (word == "text"))
    }

    @Test(
        "A server that refuses everyone is not about this mail, which waits",
        arguments: [
            ["greeting": "554 5.3.2 no service here"], ["greeting": "421 later"],
            ["EHLO": "550 who are you", "HELO": "550 who are you"],
        ]
    )
    func everybody(replies: [String: String]) async throws {
        let failure = try #require(try await send(replies).0)
        #expect(!failure.isPermanent)
        #expect(failure.reply != nil)
    }

    @Test("What is no SMTP, and what breaks off, may pass")
    func broken() async throws {
        for replies in [
            ["greeting": "HTTP/1.1 400 Bad Request"], ["MAIL": "hello"], ["text": "99999"],
            ["greeting": String(repeating: "2", count: 100_000)],
        ] {
            let limits = SMTPLimits(connecting: 1, whole: 1)
            let failure = try #require(try await send(replies, limits: limits).0)
            #expect(!failure.isPermanent, "\(replies)")
        }
        let closed = try SMTPServer(host: "127.0.0.1", port: 9, security: .none, user: nil)
        let failure = try await send(try sample(), to: closed)
        #expect(failure?.reason == .unreachable)
        #expect(failure?.isPermanent == false)
    }

    @Test(
        "A server that says nothing is not waited for without end",
        arguments: ["greeting", "EHLO", "RCPT", "text"]
    )
    func hanging(word: String) async throws {
        let server = try #require(ScriptedSMTP([word: ""]))
        let failure = try await send(
            try sample(),
            to: SMTPServer(host: "127.0.0.1", port: server.port, security: .none, user: nil),
            limits: SMTPLimits(connecting: 1, whole: 1)
        )
        #expect(failure?.reason == .timedOut)
        #expect(failure?.isPermanent == false)
    }

    @Test("A caller that no longer waits for a mail ends the conversation")
    func cancelled() async throws {
        let server = try #require(ScriptedSMTP(["RCPT": ""]))
        let submission = try SMTPSubmission(
            to: SMTPServer(host: "127.0.0.1", port: server.port, security: .none, user: nil),
            password: nil,
            limits: SMTPLimits(connecting: 60, whole: 600)
        )
        let mail = try sample()
        let task = Task { await outcome(of: mail, over: submission) }
        try await waitUntil("RCPT is there") { server.lines.contains { $0.hasPrefix("RCPT") } }
        task.cancel()
        #expect(await task.value?.reason == .cancelled)
        await submission.shutDown()
    }

    @Test(
        "RFC 3207 §4: without STARTTLS nothing is sent, neither mail nor password",
        arguments: [
            [:], ["EHLO": "250-test\r\n250 STARTTLS", "STARTTLS": "454 not now"],
            ["EHLO": "250-test\r\n250 AUTH PLAIN LOGIN"], ["EHLO": "502 what?"],
        ]
    )
    func noEncryption(replies: [String: String]) async throws {
        let server = try #require(ScriptedSMTP(replies))
        let failure = try await send(
            try sample(),
            to: SMTPServer(host: "localhost", port: server.port, security: .startTLS, user: "ann"),
            password: SecretText("correct horse")
        )
        #expect(failure?.isPermanent == false)
        #expect(failure?.reason == .notEncrypted || failure?.reason == .refused)
        let sent = Set(server.lines.map { $0.prefix { $0 != " " } })
        #expect(sent.isSubset(of: ["EHLO", "STARTTLS", "QUIT"]), "\(sent)")
    }

    @Test("RFC 4954 §6: a refused password is a matter of the settings, and is in no error")
    func password() async throws {
        let plain = "AGFubgBjb3JyZWN0IGhvcnNl"
        let (failure, lines) = try await send(
            [
                "EHLO": "250-test\r\n250 AUTH PLAIN",
                "AUTH": "334 ", plain.uppercased(): "535 5.7.8 ann correct horse \(plain) is wrong",
            ],
            "ann"
        )
        #expect(lines.contains { $0.contains(plain) })
        let found = try #require(failure)
        #expect(found.reason == .loginRefused)
        #expect(!found.isPermanent)
        var dumped = ""
        dump(found, to: &dumped)
        for text in [found.logText, "\(found)", "\(found.localizedDescription)", dumped] {
            #expect(!text.contains("horse") && !text.contains(plain), "\(text)")
        }
        #expect(found.logText.contains("535 5.7.8"))
    }

    @Test("Of what a server says the log has plain words: no address, no number, no control")
    func logged() async throws {
        let (failure, _) = try await send(
            [
                "RCPT":
                    "550 5.1.1 <ann@example.net>: User unknown, code 123456 \u{1B}[31mred\u{07} täst"
            ]
        )
        #expect(failure?.logText == "The mail was refused. (550 5.1.1 User unknown code)")
        #expect(failure?.description == "The mail was refused.")
    }

    @Test("More than can wait are refused at once, for now")
    func busy() async throws {
        let server = try #require(ScriptedSMTP(["greeting": ""]))
        let submission = try SMTPSubmission(
            to: SMTPServer(host: "127.0.0.1", port: server.port, security: .none, user: nil),
            password: nil,
            limits: SMTPLimits(connecting: 1, whole: 1),
            threads: 1
        )
        let mail = try sample()
        let reasons = await withTaskGroup { group in
            for _ in 0..<70 {
                group.addTask { await outcome(of: mail, over: submission)?.reason }
            }
            var found: [DeliveryFailure.Reason?] = []
            for await reason in group {
                found.append(reason)
                if found.count == 6 { group.cancelAll() }
            }
            return found
        }
        #expect(reasons.count { $0 == .busy } == 5)
        await submission.shutDown()
    }
}

import Foundation
import PorticoMail
import PorticoTestSupport
import Testing

/// Each in a process of its own: the environment is the whole process's, other tests read it on
/// other threads, and `URLSession` asks the same proxies.
@Suite("Mail to a mail server: what the surroundings say")
struct SMTPSurroundingsTests {
    @Test("A proxy that the environment names gets no mail")
    func proxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LocalServer { _ in LocalServer.reply("403 Forbidden") }
            defer { proxy.stop() }
            for name in ["smtp_proxy", "SMTP_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            let server = try #require(ScriptedSMTP())
            let failure = try await submit(to: server)
            try #require(failure == nil)
            try #require(proxy.requests.isEmpty)
            try #require(server.lines.contains("RCPT TO:<ann@example.net>"))
        }
    }

    @Test("A password in the home folder is sent to no server")
    func netrc() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            // `try?`: what is left behind lies in the system's folder for such things.
            defer { try? FileManager.default.removeItem(at: home) }
            try Data("machine 127.0.0.1 login ann password horse\n".utf8)
                .write(to: home.appending(path: ".netrc"))
            setenv("HOME", home.path, 1)
            unsetenv("NETRC")
            let server = try #require(
                ScriptedSMTP(["EHLO": "250-test\r\n250 AUTH PLAIN LOGIN", "AUTH": "535 5.7.8 no"])
            )
            let failure = try await submit(to: server)
            try #require(failure == nil)
            try #require(!server.lines.contains { $0.hasPrefix("AUTH") })
            try #require(server.lines.contains("RCPT TO:<ann@example.net>"))
        }
    }
}

/// Sends a mail without a password and says what came of it.
private func submit(to server: ScriptedSMTP) async throws -> DeliveryFailure? {
    let submission = try SMTPSubmission(
        to: SMTPServer(host: "127.0.0.1", port: server.port, security: .none, user: nil),
        password: nil,
        limits: SMTPLimits(connecting: 10, whole: 20)
    )
    let failure = await outcome(of: try sample(), over: submission)
    await submission.shutDown()
    return failure
}

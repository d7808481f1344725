import Foundation
import PorticoMail
import PorticoWeb
import Testing

@testable import PorticoProgram

@Suite("A settings file") struct SettingsFileTests {
    private func lines(_ text: String) -> [String] {
        do throws(SettingsFile.Unreadable) {
            _ = try SettingsFile(Array(text.utf8))
            return []
        } catch {
            return error.lines
        }
    }

    @Test("values are texts as they are written, at any level, and lists of them")
    func values() throws {
        let file = try SettingsFile(
            Array(
                """
                # Nothing yet
                listen: 127.0.0.1:8080
                log: {level: "de\\u0062ug"}
                hashing:
                  threads: 0x4
                empty:
                trusted-proxies: [10.0.0.1, yes]
                here: &here [a]
                there: *here
                """.utf8
            )
        )
        #expect(file.values["listen"]?.texts == ["127.0.0.1:8080"])
        #expect(file.values["log.level"]?.texts == ["debug"])
        #expect(file.values["hashing.threads"]?.texts == ["0x4"])
        #expect(file.values["empty"]?.texts == [""])
        #expect(file.values["trusted-proxies"]?.texts == ["10.0.0.1", "yes"])
        #expect(file.values["there"]?.texts == ["a"])
        #expect(file.values.count == 7)
    }

    @Test("a file without values has none", arguments: ["", "# nothing", "---\n", "{}"])
    func empty(_ text: String) throws {
        #expect(try SettingsFile(Array(text.utf8)).values.isEmpty)
    }

    @Test(
        "what is no settings file is refused, with the place",
        arguments: [
            ("a: 1\na: 2", "line 2, column 1: a is set a second time"),
            ("a.b: 1\na: {b: 2}", "line 2, column 5: a.b is set a second time"),
            ("a: [b: 1]", "line 1, column 4: a list holds plain values only"),
            ("? [a]\n: b", "line 1, column 1: a key must be a plain text, and not too deep"),
            ("a: &a {b: *a}", "line 1, column 4: a key must be a plain text, and not too deep"),
            ("a: 1\n---\nb: 2", "The file has more than one document."),
            ("- a", "Top level YAML value is not a mapping."),
            ("a: *b", "line 1, column 4: found undefined alias"),
            ("a: \"b", "line 1, column 6: found unexpected end of stream"),
            ("a: \u{7}", "line 1, column 1: control characters are not allowed"),
        ]
    )
    func refused(_ text: String, _ line: String) {
        #expect(lines(text).first == line)
    }

    @Test("bytes that are not UTF-8 are refused")
    func bytes() {
        #expect(throws: SettingsFile.Unreadable.self) {
            try SettingsFile([0x61, 0x3A, 0x20, 0xFF])
        }
    }
}

extension SettingsFile.Value {
    fileprivate var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .list(let texts): texts
        }
    }
}

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "the nearest name is suggested",
        arguments: [
            ("lisen", "listen"), ("PUBLIC-URL", "public-url"), ("log.leve", "log.level"),
            ("import-reaml", "import-realm"), ("usr", "user"),
        ]
    )
    func near(word: String, expected: String) {
        let names = Setting.all.map(\.key) + ["user", "role"]
        #expect(Suggestion.nearest(to: word, among: names) == expected)
    }

    @Test("nothing is suggested for what is far from everything", arguments: ["", "x", "database"])
    func far(word: String) {
        #expect(Suggestion.nearest(to: word, among: Setting.all.map(\.key)) == nil)
    }
}

@Suite("Where the server listens") struct ListeningTests {
    @Test(
        "decision 0036: plain http listens on loopback, or behind a named proxy",
        arguments: [
            ("127.0.0.1:8080", nil, nil), ("127.0.0.2:8080", nil, nil), ("[::1]:8080", nil, nil),
            ("0.0.0.0:8080", nil, .listenExposed), ("[::]:8080", nil, .listenExposed),
            ("192.0.2.1:8080", nil, .listenExposed), ("0.0.0.0:8080", "10.0.0.0/8", nil),
        ] as [(String, String?, Problem?)]
    )
    func listening(text: String, proxy: String?, expected: Problem?) throws {
        var settings = Settings(dataDirectory: "")
        settings.listen = try #require(ListenAddress(text))
        settings.publicURL = try PublicURL("https://id.example.com")
        settings.trustedProxies = proxy.map { [$0] } ?? []
        var problem: Problem?
        do throws(Failure) {
            try settings.checkForServing()
        } catch {
            problem = error.problem
        }
        #expect(problem == expected)
    }

    @Test("a name is no address to listen on: what it means may change")
    func names() {
        #expect(ListenAddress("localhost:8080") == nil)
    }
}

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

import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Words of the mails") struct MailTextTests {
    static let mails: [MailText] = [
        .confirmationCode(code: "481052", use: .confirmAddress("ann@example.com"), minutes: 10),
        .confirmationCode(code: "481052", use: .claimAccount(provider: "Google"), minutes: 10),
        .newDevice(device: "Firefox on Linux", at: 1_795_298_400, provider: "Google"),
        .methodAdded(provider: "Apple"), .methodRemoved(provider: "Apple"),
        .passwordReset(address: "https://id.example/reset?key=a&b", minutes: 30), .passwordChanged,
        .accountActions(address: "https://id.example/action?key=a&b", until: 1_795_298_400),
        .emailChanged, .accountDeleted, .secondFactorAdded, .secondFactorRemoved,
        .recoveryCodesMade, .alreadyRegistered,
    ]

    @Test("each mail names the service, says what happened and what to do if it was another person")
    func whole() {
        for mail in Self.mails {
            let texts = Language.allCases.map { mail.text(in: $0, service: "Demo") }
            #expect(Set(texts.map(\.subject)).count == texts.count, "\(mail)")
            for text in texts {
                #expect(text.lines.last == "Demo")
                #expect(text.lines.count >= 4 && text.lines.allSatisfy { !$0.isEmpty })
                #expect(!text.lines.joined().contains("!"))
            }
        }
    }

    @Test("of a device that says no name of its own only the time is said")
    func noName() {
        for language in Language.allCases {
            let named = MailText.newDevice(device: "curl", at: 1_795_298_400, provider: "Google")
                .text(in: language, service: "Demo")
            let nameless = MailText.newDevice(device: "", at: 1_795_298_400, provider: "Google")
                .text(in: language, service: "Demo")
            #expect(nameless.lines.count == named.lines.count)
            let lines = zip(named.lines, nameless.lines).filter { $0 != $1 }
            #expect(lines.count == 1)
            #expect(
                lines.allSatisfy { $0.hasPrefix("curl") && $0.hasSuffix($1) && $1.first != "," }
            )
        }
    }

    @Test("a code stands in the subject and on a line of its own, and can be copied from it")
    func code() {
        for language in Language.allCases {
            for mail in Self.mails.prefix(2) {
                let text = mail.text(in: language, service: "Demo")
                #expect(text.subject.contains("481052"))
                #expect(text.lines.contains("481052"))
            }
        }
    }

    @Test("a mail with a code says what the code does, before the code")
    func use() throws {
        let uses: [(MailText.CodeUse, named: String)] = [
            (.confirmAddress("ann@example.com"), "ann@example.com"),
            (.claimAccount(provider: "Google"), "Google"),
        ]
        for language in Language.allCases {
            let said = try uses.map { use, named in
                let lines = MailText.confirmationCode(code: "481052", use: use, minutes: 10)
                    .text(in: language, service: "Demo").lines
                let code = try #require(lines.firstIndex(of: "481052"))
                let before = lines[..<code].joined()
                #expect(before.contains(named) && before.contains("Demo"))
                return before.replacing(named, with: "")
            }
            #expect(Set(said).count == uses.count)
        }
    }

    @Test("an address to choose a new password is whole, alone on its line, however long it is")
    func address() {
        let address = "https://id.example/reset?key=" + String(repeating: "aB3_", count: 400)
        for language in Language.allCases {
            let text = MailText.passwordReset(address: address, minutes: 30)
                .text(in: language, service: "Demo")
            #expect(text.lines.contains(address))
            #expect(!text.subject.contains("https"))
        }
    }

    @Test(
        "nothing from outside begins a line or a header of a mail",
        arguments: ["\r\nBcc: all@example.com", "\n.\n", "\u{2028}x", "a\u{0}b", "\u{85}y"]
    )
    func lines(text: String) {
        let mails: [MailText] = [
            .newDevice(device: text, at: 0, provider: text), .methodAdded(provider: text),
            .passwordReset(address: text, minutes: 1),
            .confirmationCode(code: text, use: .confirmAddress(text), minutes: 1),
            .confirmationCode(code: text, use: .claimAccount(provider: text), minutes: 1),
        ]
        for mail in mails {
            for language in Language.allCases {
                let written = mail.text(in: language, service: text)
                for line in [written.subject] + written.lines {
                    #expect(
                        !line.unicodeScalars.contains { $0.properties.generalCategory == .control }
                    )
                    #expect(!line.contains("\u{2028}"))
                }
            }
        }
    }
}

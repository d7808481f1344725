import Foundation
import PorticoBytes
import PorticoMail
import Testing

@Suite("Mails as they are written")
struct MailTests {
    @Test(
        "CWE-93: a text that could begin a header or turn a line is refused, not mended",
        arguments: [
            "a\r\nBcc: bob@example.com", "a\nb", "a\rb", "a\0b", "a\u{85}b", "a\u{2028}b",
            "a\u{202E}b", "a\u{202A}b", "a\u{2066}b", "a\u{2069}b", "a\u{2069}b\u{2066}",
            "a\u{1B}[2Jb",
        ]
    )
    func injection(text: String) {
        #expect(throws: Mail.Refusal.subject) { try sample(subject: text) }
        #expect(throws: Mail.Refusal.lines) { try sample(lines: ["good", text]) }
    }

    @Test("A mail has a subject, some text, a language and a recipient, none without end")
    func bounds() throws {
        #expect(throws: Mail.Refusal.subject) { try sample(subject: "") }
        #expect(throws: Mail.Refusal.subject) {
            try sample(subject: String(repeating: "a", count: 1001))
        }
        #expect(throws: Mail.Refusal.lines) { try sample(lines: []) }
        #expect(throws: Mail.Refusal.lines) {
            try sample(lines: Array(repeating: "a", count: 201))
        }
        for language in ["", "de\r\nX: y", "\" onload=", "de_DE", "abcdefghi"] {
            #expect(throws: Mail.Refusal.language) { try sample(language: language) }
        }
        #expect(throws: Mail.Refusal.recipient(.malformed)) {
            try sample(to: "ann@example.net\r\nBcc: bob@example.com")
        }
    }

    @Test("RFC 5322 §3.6: the headers, each once, in ASCII")
    func headers() throws {
        let mail = ParsedMail(try sample().bytes)
        let expected = [
            ("Date", "Sat, 21 Nov 2026 22:00:00 +0000"),
            ("From", "\"Portico\" <portico@example.com>"),
            ("To", "ann@example.net"),
            ("Message-ID", "<0190a0b0-c0d0-7000-8000-000000000001@example.com>"),
            ("Subject", "Your code"),
            ("Auto-Submitted", "auto-generated"),
            ("Content-Language", "en"),
            ("MIME-Version", "1.0"),
        ]
        #expect(mail.headers.count == expected.count + 1)
        for (found, wanted) in zip(mail.headers, expected) { #expect(found == wanted) }
        #expect(
            mail.header("Content-Type")?.hasPrefix("multipart/alternative; boundary=\"=_") == true
        )
    }

    @Test(
        "RFC 5322 §2.1.1, RFC 2045 §6: lines are short, end in CRLF and are ASCII, whatever they say",
        arguments: [
            ("Your code", ["Your code is:", "123456", "."]), (arabicSubject, arabicLines),
            (
                String(repeating: "Größe ", count: 30),
                [String(repeating: "ä", count: 400), "From me", ""]
            ),
            (String(repeating: "a", count: 300), [String(repeating: "x =", count: 1000)]),
            ("=?UTF-8?B?YQ==?=", ["trailing space ", "\t", "=", "==", "=_portico_"]),
            (" ", [""]), ("👩‍👩‍👧‍👦", ["👩‍👩‍👧‍👦", ".👩‍👩‍👧‍👦"]),
        ]
    )
    func wire(subject: String, lines: [String]) throws {
        for language in ["ar", "de"] {
            let bytes = try sample(
                subject: subject,
                lines: lines.map { $0.filter { $0 != "\t" } },
                language: language
            ).bytes
            #expect(bytes.allSatisfy { $0 < 0x80 })
            #expect(bytes.suffix(2) == [0x0D, 0x0A])
            let text = String(decoding: bytes, as: UTF8.self)
            for line in text.components(separatedBy: "\r\n") {
                #expect(line.utf8.count <= 78, "\(line)")
                #expect(!line.utf8.contains { $0 == 0x0D || $0 == 0x0A }, "\(line)")
                #expect(!line.hasPrefix("."), "\(line)")
                #expect(line.utf8.last != 0x20, "\(line)")
            }
            let mail = ParsedMail(bytes)
            let kept = lines.map { $0.filter { $0 != "\t" } }
            #expect(mail.parts.count == 2)
            // The line end before a boundary is not the text's (RFC 2046 §5.1.1).
            #expect(mail.parts[0].text.hasPrefix(kept.joined(separator: "\r\n")))
            let found = try #require(mail.header("Subject"))
            if found.hasPrefix("=?") {
                for word in found.split(separator: " ") { #expect(word.utf8.count <= 75) }
                #expect(ParsedMail.decoded(found) == subject)
            } else {
                #expect(found == subject)
            }
        }
    }

    @Test("RFC 2047 §5: an encoded word never ends within a character")
    func words() throws {
        for count in 1...40 {
            let subject = String(repeating: "a", count: count) + String(repeating: "😀", count: 20)
            let value = try #require(
                ParsedMail(try sample(subject: subject).bytes).header("Subject")
            )
            for word in value.split(separator: " ") {
                #expect(!ParsedMail.decoded(String(word)).contains("\u{FFFD}"))
            }
            #expect(ParsedMail.decoded(value) == subject)
        }
    }

    @Test("WCAG 2.2 §3.1.1: the HTML part has language and direction, and no markup of the text's")
    func html() throws {
        let mail = ParsedMail(
            try sample(
                subject: "<b>&\"'",
                lines: arabicLines + [
                    "", "\u{2066}654321\u{2069}", "<script>alert(1)</script>",
                    "https://evil.example/\"x",
                ],
                language: "ar"
            ).bytes
        )
        #expect(
            mail.parts.map(\.type) == ["text/plain; charset=utf-8", "text/html; charset=utf-8"]
        )
        let html = mail.parts[1].text
        #expect(html.contains("<html lang=\"ar\" dir=\"rtl\">"))
        #expect(html.contains("<title>&lt;b&gt;&amp;&quot;&#39;</title>"))
        #expect(html.contains("<strong dir=\"ltr\">123456</strong>"))
        #expect(html.contains("<strong dir=\"ltr\">654321</strong>"))
        #expect(mail.parts[0].text.contains("\r\n654321\r\n"))
        let link = "https://id.example.com/a?b=c&amp;d=e"
        #expect(html.contains("<a href=\"\(link)\" dir=\"ltr\">\(link)</a>"))
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(html.contains("https://evil.example/&quot;x"))
        #expect(html.ranges(of: "<a ").count == 1)
        #expect(
            ParsedMail(try sample(language: "de-AT").bytes).parts[1].text.contains("dir=\"ltr\"")
        )
    }

    @Test(
        "RFC 5322 §3.3: the date in words",
        arguments: [
            (0, "Thu, 1 Jan 1970 00:00:00 +0000"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 +0000"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 +0000"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 +0000"),
            (4_107_542_400, "Mon, 1 Mar 2100 00:00:00 +0000"),
        ]
    )
    func date(seconds: Int64, text: String) throws {
        let mail = try Mail(
            from: MailSender("a@example.com"),
            to: "b@example.com",
            subject: "s",
            lines: ["l"],
            language: "en",
            id: .init(random: .system),
            date: seconds
        )
        #expect(ParsedMail(mail.bytes).header("Date") == text)
    }

    @Test("A stranger's word is never refused: it is cut, turned by nothing, and is no link")
    func foreign() {
        func inside(_ text: String) -> String {
            let word = PlainLine.foreign(text)
            #expect(PlainLine.isPlain(word), "\(text.debugDescription)")
            return word
        }
        #expect(inside("Firefox 128.0 on Linux") == "Firefox 128.0 on Linux")
        #expect(inside("a\r\nBcc: b@c") == "a  Bcc  b c")
        #expect(inside("\u{202E}exe.gpj\u{2066}\u{2069}") == "exe. gpj")
        #expect(inside("https://evil.example/x") == "https   evil. example x")
        #expect(inside("\u{1B}[31m\u{0}\u{2028}") == " [31m  ")
        #expect(inside(String(repeating: "a", count: 500)).count == 61)
        #expect(inside("می\u{200C}خواهم") == "می\u{200C}خواهم")
        #expect(inside("\u{E000}\u{10FFFF}\u{FFFD}") == "\u{E000}\u{10FFFF}\u{FFFD}")
    }
}

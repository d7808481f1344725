import PorticoMail
import Testing

@Suite("Addresses of mail")
struct MailAddressTests {
    @Test(
        "RFC 5321 §4.1.2: a dot-atom and a domain of host names",
        arguments: [
            "ann@example.com", "a@b.cd", "ann.example+tag@mail.example.co.uk", "o'neil@example.com",
            "ANN@EXAMPLE.COM", "!#$%&'*+/=?^_`{|}~-@example.com", "ann@xn--bcher-kva.example",
            "\(String(repeating: "a", count: 64))@example.com",
        ]
    )
    func good(text: String) throws {
        #expect(try MailAddress(text).text == text)
    }

    @Test(
        "RFC 5321 §4.1.2: whatever could mean something else on the way is no address",
        arguments: [
            "", "ann", "@example.com", "ann@", "ann@example", "ann@localhost", "ann@@example.com",
            "ann@b@example.com", ".ann@example.com", "ann.@example.com", "a..b@example.com",
            "ann@.com", "ann@example..com", "ann@example.com.", "ann@-example.com",
            "ann@example-.com", "ann@exam_ple.com", "ann@[127.0.0.1]", "ann@127.0.0.1",
            "\"ann\"@example.com", "ann (x)@example.com", "<ann@example.com>", "ann @example.com",
            "ann@example.com\n", "ann@example.com\r\nBcc: bob@example.com", "ann\0@example.com",
            "ann@example.com,bob@example.com", "-oQ@example.com", "ann:bob@example.com",
            "ann;x@example.com",
        ]
    )
    func malformed(text: String) {
        #expect(throws: MailAddress.Refusal.malformed) { try MailAddress(text) }
    }

    @Test(
        "RFC 6531 §3.2: beyond ASCII nothing is certain to arrive, and it is refused",
        arguments: [
            "änn@example.com", "ann@bücher.example", "ann@example.com\u{202E}", "аnn@example.com",
        ]
    )
    func notASCII(text: String) {
        #expect(throws: MailAddress.Refusal.notASCII) { try MailAddress(text) }
    }

    @Test("RFC 5321 §4.5.3.1: 64 octets before the sign, 63 in a label, 254 in all")
    func lengths() throws {
        let long = String(repeating: "a", count: 65)
        #expect(throws: MailAddress.Refusal.tooLong) { try MailAddress("\(long)@example.com") }
        #expect(throws: MailAddress.Refusal.malformed) {
            try MailAddress("ann@\(long.dropLast()).com")
        }
        let label = String(repeating: "b", count: 62)
        let domain = [label, label, label, "example"].joined(separator: ".")
        let fits = String(repeating: "a", count: 254 - domain.utf8.count - 1)
        #expect(try MailAddress("\(fits)@\(domain)").text.utf8.count == 254)
        #expect(throws: MailAddress.Refusal.tooLong) { try MailAddress("\(fits)a@\(domain)") }
    }

    @Test("RFC 5322 §3.4: a sender may have a name, in which nothing looks like an address")
    func senders() throws {
        let named = try MailSender("Das Büro <portico@example.com>")
        #expect(named.name == "Das Büro")
        #expect(named.address.text == "portico@example.com")
        #expect(try MailSender("portico@example.com").name == nil)
        for text in [
            "<portico@example.com>", "A\r\nBcc: b@example.com <portico@example.com>",
            "ceo@bank.example <portico@example.com>", "\"A\" <portico@example.com>",
            "A\u{202E}B <portico@example.com>", "A\u{0} <portico@example.com>",
        ] {
            #expect(throws: MailSender.Refusal.name, "\(text.debugDescription)") {
                try MailSender(text)
            }
        }
        #expect(throws: MailSender.Refusal.address(.malformed)) { try MailSender("A <b>") }
    }
}

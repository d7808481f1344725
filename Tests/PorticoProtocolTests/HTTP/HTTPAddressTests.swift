import Foundation
import PorticoProtocol
import Testing

@Suite("HTTP addresses")
struct HTTPAddressTests {
    @Test("RFC 9110 §4.2: an address falls into its parts, and its text stays as it was written")
    func parts() throws {
        let address = try #require(HTTPAddress("https://OP.example.com:8443/a/b/?x=1&y=%20?"))
        #expect(address.text == "https://OP.example.com:8443/a/b/?x=1&y=%20?")
        #expect(address.isSecure)
        #expect(address.authority == "OP.example.com:8443")
        #expect(address.host == "op.example.com")
        #expect(address.port == 8443)
        #expect(address.path == "/a/b/")
        #expect(address.query == "x=1&y=%20?")
        #expect(address.target == "/a/b/?x=1&y=%20?")
        #expect(address.origin == "https://op.example.com:8443")
    }

    @Test("RFC 6454 §4: origins are one spelling of scheme, host and port")
    func origins() {
        let same = ["https://a.example", "https://A.example:443/x", "HTTPS://a.example/?y"]
        #expect(Set(same.map { HTTPAddress($0)?.origin }) == ["https://a.example:443"])
        #expect(HTTPAddress("http://a.example")?.origin == "http://a.example:80")
        #expect(HTTPAddress("https://a.example.")?.origin != "https://a.example:443")
    }

    @Test(
        "What is not an absolute http or https address, or could be read in two ways, is none",
        arguments: [
            "", "abc", "/path", "//host/path", "ftp://host/", "javascript:alert(1)", "https:host",
            "https:/host", "https://", "https:///path", "https://:443/", "https://user@host/",
            "https://user:pw@host/", "https://good.example@evil.example/",
            "https://host/#f", "https://host#", "https://ho st/", "https://host/ ",
            "https://host/\t", "https://host/\n", "https://host/\u{0}", "https://hôst/",
            "https://host/ü", "https://host\\evil", "https://host/{tenant}", "https://host/<a>",
            "https://host:/", "https://host:0/", "https://host:65536/", "https://host:99999999/",
            "https://host:80a/", "https://host:+80/", "https://host:-1/", "https://[::1/",
            "https://[]/", "https://[::1]x/", "https://[zz]/", "https://ho%73t/",
        ]
    )
    func refused(text: String) {
        #expect(HTTPAddress(text) == nil)
    }

    @Test(
        "RFC 8252 §8.3: only the two IP literals are loopback",
        arguments: [
            ("http://127.0.0.1", true), ("http://127.0.0.1:8080/x", true),
            ("http://[::1]:1/", true),
            ("http://localhost/", false), ("http://127.0.0.2/", false), ("http://127.1/", false),
            ("http://0.0.0.0/", false), ("http://2130706433/", false),
            ("http://127.0.0.1.evil.example/", false), ("http://[::ffff:127.0.0.1]/", false),
            ("http://[0:0:0:0:0:0:0:1]/", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try #require(HTTPAddress(text)).isLoopback == isLoopback)
    }

    @Test(
        "RFC 6761 §6.3: localhost and the names below it are names for this machine",
        arguments: [
            ("http://localhost", true), ("http://LocalHost:8080/x", true),
            ("http://op.localhost/", true), ("http://a.b.localhost/", true),
            ("http://127.0.0.1/", false), ("http://[::1]/", false),
            ("http://localhost.evil.example/", false), ("http://evillocalhost/", false),
            ("http://localhost./", false), ("http://evil.example/localhost", false),
            ("http://evil.example?.localhost", false), ("http://127.0.0.1.evil.example/", false),
        ]
    )
    func localhost(text: String, isLocalhost: Bool) throws {
        let address = try #require(HTTPAddress(text))
        #expect(address.isLocalhost == isLocalhost)
        #expect(address.isThisMachine == (isLocalhost || address.isLoopback))
    }

    @Test("An address without end is none")
    func tooLong() {
        #expect(HTTPAddress("https://host/" + String(repeating: "a", count: 64 * 1024)) == nil)
    }
}

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "RFC 9110 §5.6.7: what is written is what is read",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func written(_ seconds: Int64, _ text: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.date(text)?.timeIntervalSince1970 == Double(seconds))
    }

    @Test(
        "RFC 9110 §5.6.7: the preferred format is read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Tue, 14 Nov 2023 22:13:20 GMT", 1_700_000_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ]
    )
    func read(text: String, seconds: Double) {
        #expect(HTTPDate.date(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "Everything else is no date, and nothing traps",
        arguments: [
            "", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        ]
    )
    func refused(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }
}

import Testing

@testable import PorticoProtocol

@Suite("Form parameters")
struct FormParametersTests {
    private func code(_ text: String) -> OAuthError.Code? {
        code(Array(text.utf8))
    }

    private func code(_ bytes: [UInt8]) -> OAuthError.Code? {
        do {
            _ = try FormParameters(decoding: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("RFC 6749 appendix B: plus is a blank, escapes are octets of UTF-8")
    func decoding() throws {
        let form = try FormParameters(decoding: "a=1+%2B%26%3D&b=%C3%BC%e2%82%ac&c&&=x".utf8)
        #expect(form["a"] == "1 +&=")
        #expect(form["b"] == "ü€")
        #expect(form.contains("c") && form["c"] == nil)
        #expect(form.all.count == 4)
    }

    @Test(
        "RFC 6749 appendix B: broken escapes, NUL, and what is not UTF-8 are invalid_request",
        arguments: [
            "a=%", "a=%4", "a=%zz", "a=%C3", "a=%FF", "a=%00", "%00=a", "a=%ED%A0%80", "a=%C0%80",
        ]
    )
    func refused(text: String) {
        #expect(code(text) == .invalidRequest)
    }

    @Test("RFC 6749 appendix B: raw octets that are not UTF-8 are invalid_request")
    func rawOctets() {
        for octets: [UInt8] in [[0xFF], [0xC3], [0x00], [0xED, 0xA0, 0x80]] {
            #expect(code(Array("a=".utf8) + octets) == .invalidRequest)
        }
    }

    @Test("WEB-INPUT-5: an escape is decoded once")
    func decodedOnce() throws {
        let form = try FormParameters(decoding: "a=%2525&b=%2e%2e%2f".utf8)
        #expect(form["a"] == "%25")
        #expect(form["b"] == "../")
    }

    @Test(
        "RFC 6749 §3.1: a parameter without a value counts as omitted, a repeated one is an error"
    )
    func omittedAndRepeated() throws {
        let form = try FormParameters(decoding: "a=&b=1&b=2&c=&c=".utf8)
        #expect(try form.value("a") == nil)
        for name in ["b", "c"] {
            #expect {
                _ = try form.value(name)
            } throws: {
                ($0 as? OAuthError)?.code == .invalidRequest
            }
        }
        #expect(throws: OAuthError.self) { try form.refuseRepeats() }
        #expect(throws: OAuthError.self) { try form.required("a") }
        #expect(throws: OAuthError.self) { try form.required("nothing") }
    }

    @Test("WEB-INPUT-1: more than a hundred parameters are invalid_request")
    func count() {
        let names = (0..<101).map { "p\($0)=1" }
        #expect(code(names.dropLast().joined(separator: "&")) == nil)
        #expect(code(names.joined(separator: "&")) == .invalidRequest)
    }

    @Test("What is encoded is decoded as the same, whatever it holds")
    func roundTrip() throws {
        let parameters = [
            (name: "redirect uri", value: "https://a.example/cb?x=1&y=ü#f"),
            (name: "p%:+", value: "~-._ \r\n\"'<>\u{1F600}"),
        ]
        let form = try FormParameters(decoding: FormEncoding.encode(parameters))
        #expect(form.all.map(\.name) == parameters.map(\.name))
        #expect(form.all.map(\.value) == parameters.map(\.value))
    }

    @Test("WEB-INPUT-1: text that is not ASCII is read up to 1,024 bytes, as name and as value")
    func longForeignText() throws {
        let fits = String(repeating: "\u{301}\u{323}", count: 256)
        let form = try FormParameters([(name: "a", value: fits), (name: fits, value: "b")].encoded)
        #expect(form["a"]?.utf8.count == 1_024)
        #expect(code([(name: "a", value: "x" + fits)].encoded) == .invalidRequest)
        #expect(code([(name: "x" + fits, value: "a")].encoded) == .invalidRequest)
        let ascii = String(repeating: "a", count: 60_000)
        #expect(try FormParameters([(name: "a", value: ascii)].encoded)["a"] == ascii)
    }

    @Test("RFC 6749 §1.9: names are compared as bytes: another normalization form is another name")
    func exactNames() throws {
        let form = try FormParameters(
            [(name: "\u{E9}", value: "1"), (name: "e\u{301}", value: "2")].encoded
        )
        try form.refuseRepeats()
        #expect(form["\u{E9}"] == "1")
        #expect(form["e\u{301}"] == "2")
    }
}

extension [(name: String, value: String)] {
    fileprivate var encoded: [UInt8] { FormEncoding.encode(self) }
}

extension FormParameters {
    fileprivate init(_ bytes: [UInt8]) throws {
        try self.init(decoding: bytes)
    }
}

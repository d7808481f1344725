import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoWeb
import Testing

@Suite("Forms")
struct FormTests {
    private func form(
        _ body: String,
        type: [String] = ["application/x-www-form-urlencoded"],
        encoding: String? = nil,
        upTo maximum: Int = 64 * 1024
    ) throws -> FormParameters {
        var headers = HTTPFields()
        for type in type { headers.append(HTTPField(name: .contentType, value: type)) }
        headers[.contentEncoding] = encoding
        let request = Request(
            head: HTTPRequest(
                method: .post,
                scheme: "https",
                authority: "h",
                path: "/",
                headerFields: headers
            ),
            body: ByteBuffer(string: body)
        )
        return try FormParameters(body: request, upTo: maximum)
    }

    @Test(
        "RFC 6749 appendix B: a form is a form, with or without a charset of UTF-8",
        arguments: [
            "application/x-www-form-urlencoded", "APPLICATION/X-WWW-Form-Urlencoded",
            "application/x-www-form-urlencoded; charset=utf-8",
            "application/x-www-form-urlencoded;charset=UTF-8",
            "application/x-www-form-urlencoded; charset=\"UTF-8\"",
        ]
    )
    func types(type: String) throws {
        let form = try form("a=1&b=%C3%BC+x", type: [type])
        #expect(form["a"] == "1")
        #expect(form["b"] == "ü x")
    }

    @Test(
        "Attack C13: a body of another type is invalid_request",
        arguments: [
            [], ["application/json"], ["multipart/form-data; boundary=x"], ["text/plain"], [""],
            ["application/x-www-form-urlencoded; charset=latin1"],
            ["application/x-www-form-urlencoded; charset=utf-8; x=y"],
            ["application/x-www-form-urlencoded, text/plain"],
            ["application/x-www-form-urlencodedx"],
            ["application/x-www-form-urlencoded", "application/json"],
            ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded"],
        ] as [[String]]
    )
    func otherTypes(types: [String]) throws {
        #expect {
            try form("a=1", type: types)
        } throws: { error in
            guard case FormRefusal.invalid(let error) = error else { return false }
            return error.code == .invalidRequest
        }
    }

    @Test("A compressed form is refused")
    func compressed() {
        #expect(throws: FormRefusal.self) { try form("a=1", encoding: "gzip") }
    }

    @Test("WEB-INPUT-1: a form longer than its limit is too long")
    func tooLong() throws {
        #expect(throws: FormRefusal.tooLong) { try form("a=12345678", upTo: 9) }
        #expect(try form("a=1234567", upTo: 9)["a"] == "1234567")
    }

    @Test(
        "WEB-INPUT-3 and 5: broken escapes, NUL and what is not UTF-8 are invalid_request",
        arguments: [
            "a=%", "a=%z", "a=%zz", "a=%0", "a=%00", "a=%ff", "a=%C0%80", "a=%ED%A0%80", "%00=a",
        ]
    )
    func malformed(body: String) {
        #expect(throws: FormRefusal.self) { try form(body) }
    }

    @Test("A query is read like a form")
    func query() throws {
        let target = try #require(RequestTarget("/a?state=%C3%BC+x&empty=&state=2"))
        let query = try FormParameters(query: target)
        #expect(query["state"] == "ü x")
        #expect(query.contains("empty"))
        #expect(throws: OAuthError.self) { try query.refuseRepeats() }
        let broken = try #require(RequestTarget("/a?b=%zz"))
        #expect(throws: OAuthError.self) { try FormParameters(query: broken) }
    }
}

@Suite("Form tokens")
struct FormTokenTests {
    let ring: KeyRing
    let tokens: FormToken
    let cookie = FormToken.cookie(random: .system)

    init() throws {
        ring = try KeyRing(random: .system)
        tokens = FormToken(ring: ring)
    }

    @Test("WEB-CSRF-1: a token is good for its form, its transaction and its browser only")
    func bound() {
        let token = tokens.token(form: "consent", transaction: "1", cookie: cookie)
        func isValid(_ token: String?, _ cookie: String?) -> Bool {
            tokens.isValid(token, form: "consent", transaction: "1", cookie: cookie)
        }
        #expect(isValid(token, cookie))
        #expect(!tokens.isValid(token, form: "login", transaction: "1", cookie: cookie))
        #expect(!tokens.isValid(token, form: "consent", transaction: "2", cookie: cookie))
        #expect(!isValid(token, FormToken.cookie(random: .system)))
        #expect(!isValid(token, nil))
        #expect(!isValid(token, ""))
        #expect(!isValid(nil, cookie))
        #expect(!isValid("", cookie))
        // Attack B36: the token of another transaction.
        let other = tokens.token(form: "consent", transaction: "2", cookie: cookie)
        #expect(!isValid(other, cookie))
        // The fields do not slide into each other.
        let slid = tokens.token(form: "consent1", transaction: "", cookie: cookie)
        #expect(!isValid(slid, cookie))
    }

    @Test("A token with any character changed, or padded, is not good")
    func changed() {
        let token = Array(tokens.token(form: "login", transaction: "1", cookie: cookie).utf8)
        for index in token.indices {
            var other = token
            other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: other, as: UTF8.self)
            #expect(!tokens.isValid(text, form: "login", transaction: "1", cookie: cookie))
        }
        let text = String(decoding: token, as: UTF8.self)
        for other in ["\(text)=", "\(text)\n", String(text.dropLast())] {
            #expect(!tokens.isValid(other, form: "login", transaction: "1", cookie: cookie))
        }
    }

    @Test("Another installation's token is not good; an older key's is, while the ring holds it")
    func rotation() throws {
        let token = tokens.token(form: "login", transaction: "1", cookie: cookie)
        let foreign = FormToken(ring: try KeyRing(random: .system))
        #expect(!foreign.isValid(token, form: "login", transaction: "1", cookie: cookie))
        let (both, added) = try ring.adding(random: .system)
        let rotated = FormToken(ring: try both.activating(added))
        #expect(rotated.isValid(token, form: "login", transaction: "1", cookie: cookie))
        let after = FormToken(ring: try both.activating(added).removing(ring.activeID))
        #expect(!after.isValid(token, form: "login", transaction: "1", cookie: cookie))
    }

    @Test(
        "WEB-CSRF-3: Sec-Fetch-Site, when present, must be same-origin; Origin is not asked for",
        arguments: [
            ([], true), (["same-origin"], true), (["same-site"], false), (["cross-site"], false),
            (["none"], false), (["same-origin", "cross-site"], false), (["Same-Origin"], false),
            ([""], false), (["same-origin, same-origin"], false),
        ] as [([String], Bool)]
    )
    func fetchSite(values: [String], expected: Bool) throws {
        var headers: HTTPFields = [.origin: "null"]
        for value in values {
            headers.append(
                HTTPField(name: try #require(HTTPField.Name("Sec-Fetch-Site")), value: value)
            )
        }
        #expect(FetchSite.permitsPost(headers) == expected)
    }
}

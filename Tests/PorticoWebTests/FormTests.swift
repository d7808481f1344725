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
        try FormParameters(body: request(body, type, encoding), upTo: maximum)
    }

    private func formOrJSON(
        _ body: String,
        type: [String] = ["application/json"],
        encoding: String? = nil,
        upTo maximum: Int = 64 * 1024
    ) throws -> FormParameters {
        try FormParameters(formOrJSON: request(body, type, encoding), upTo: maximum)
    }

    private func request(_ body: String, _ type: [String], _ encoding: String?) -> Request {
        var headers = HTTPFields()
        for type in type { headers.append(HTTPField(name: .contentType, value: type)) }
        headers[.contentEncoding] = encoding
        return Request(
            head: HTTPRequest(
                method: .post,
                scheme: "https",
                authority: "h",
                path: "/",
                headerFields: headers
            ),
            body: ByteBuffer(string: body)
        )
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

    @Test("A line end behind the form is no part of its last parameter; in the middle it is")
    func lineEnd() throws {
        for end in ["\r\n", "\n"] {
            #expect(try form("a=1&code=abc" + end)["code"] == "abc")
        }
        #expect(try form("a=1&code=abc\r\n\r\n")["code"] == "abc\r\n")
        #expect(try form("a=1\r\n&code=abc")["a"] == "1\r\n")
        #expect(try form("\r\n").all.isEmpty)
        #expect(try form("code=abc%0D%0A")["code"] == "abc\r\n")
    }
}

extension FormTests {
    @Test(
        "Where JSON is as good as a form, each member of the object is a parameter",
        arguments: [
            "application/json", "APPLICATION/Json", "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
        ]
    )
    func json(type: String) throws {
        let body = #"{"a": "1", "b": "ü x", "state": "{\"c\":1}", "empty": ""}"#
        let parameters = try formOrJSON(body, type: [type])
        #expect(parameters["a"] == "1")
        #expect(parameters["b"] == "ü x")
        #expect(parameters["state"] == #"{"c":1}"#)
        #expect(parameters.contains("empty") && parameters["empty"] == nil)
        #expect(try formOrJSON("{}", type: [type]).all.isEmpty)
        let form = try formOrJSON("a=1&b=+", type: ["application/x-www-form-urlencoded"])
        #expect(form["a"] == "1" && form["b"] == " ")
    }

    @Test(
        "RFC 9110 §15.5.16: a body of another type, of two or of none, is neither a form nor JSON",
        arguments: [
            [], [""], ["text/plain"], ["application/jsonp"], ["application/ld+json"],
            ["multipart/form-data; boundary=x"], ["application/json; charset=utf-16"],
            ["application/json, text/plain"], ["application/json", "application/json"],
            ["application/json", "application/x-www-form-urlencoded"],
        ] as [[String]]
    )
    func otherMediaTypes(types: [String]) {
        #expect(throws: FormRefusal.mediaType) { try formOrJSON("{}", type: types) }
    }

    @Test("Compressed JSON is refused")
    func compressedJSON() {
        #expect(throws: FormRefusal.mediaType) { try formOrJSON("{}", encoding: "gzip") }
    }

    @Test(
        "What is no object of texts, or has a name twice, is invalid_request",
        arguments: [
            "", "null", #""a""#, "a=1", "[]", #"["a"]"#, #"[{"a":"1"}]"#, #"{"a":"1"}{}"#,
            #"{"a":"1","a":"1"}"#, #"{"a":"\u0000"}"#, #"{"a":{"a":{"a":{"a":{}}}}}"#,
        ]
    )
    func malformedJSON(body: String) {
        #expect {
            try formOrJSON(body)
        } throws: { error in
            guard case FormRefusal.invalid(let error) = error else { return false }
            return error.code == .invalidRequest
        }
    }

    @Test(
        "A member that is no text is named, if it is a parameter's",
        arguments: ["1", "1.5", "true", "null", "[]", #"["x"]"#, "{}", #"{"a":"b"}"#]
    )
    func otherMembers(value: String) {
        for (name, told) in [("state", "state"), ("<b>", "A parameter")] {
            #expect {
                try formOrJSON(#"{"a":"1","\#(name)":\#(value)}"#)
            } throws: { error in
                guard case FormRefusal.invalid(let error) = error else { return false }
                return error.description == told + " is not a text."
            }
        }
    }

    @Test("WEB-INPUT-1: JSON is as bounded as a form, in bytes and in parameters")
    func boundedJSON() throws {
        #expect(throws: FormRefusal.tooLong) { try formOrJSON(#"{"a":"12"}"#, upTo: 9) }
        #expect(try formOrJSON(#"{"a":"1"}"#, upTo: 9)["a"] == "1")
        let long = #"{"a":""# + String(repeating: "x", count: 65_528)
        #expect(try formOrJSON(long + #""}"#)["a"]?.utf8.count == 65_528)
        #expect(throws: FormRefusal.tooLong) { try formOrJSON(long + #"x"}"#) }
        func members(_ count: Int) -> String {
            "{" + (1...count).map { #""a\#($0)":"""# }.joined(separator: ",") + "}"
        }
        let most = FormParameters.maximumCount
        #expect(try formOrJSON(members(most)).all.count == most)
        #expect(throws: FormRefusal.self) { try formOrJSON(members(most + 1)) }
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

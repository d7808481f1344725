import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Token responses, as the client reads them")
struct TokenResponseTests {
    private func read(_ text: String) throws(TokenResponse.Refusal) -> TokenResponse {
        try TokenResponse(parsing: Array(text.utf8))
    }

    @Test("RFC 6749 §5.1: members are read, unknown ones ignored")
    func members() throws {
        let response = try read(
            #"{"access_token":"a","token_type":"Bearer","expires_in":60,"refresh_token":"r","#
                + #""id_token":"i","scope":"openid x","not-before-policy":0,"session_state":"s"}"#
        )
        #expect(response.accessToken.reveal() == "a")
        #expect(response.refreshToken?.reveal() == "r")
        #expect(response.idToken?.reveal() == "i")
        #expect(response.expiresIn == 60)
        #expect(response.scope?.tokens == ["openid", "x"])
    }

    @Test("RFC 6749 §5.1: what is left out is unknown, not endless; null counts as left out")
    func leftOut() throws {
        for extra in ["", #","refresh_token":null,"id_token":null,"expires_in":null,"scope":null"#]
        {
            let response = try read(#"{"access_token":"a","token_type":"Bearer"\#(extra)}"#)
            #expect(response.refreshToken == nil)
            #expect(response.idToken == nil)
            #expect(response.expiresIn == nil)
            #expect(response.scope == nil)
        }
    }

    @Test(
        "BR77: what is empty, null or of a foreign type ends nothing, where nothing needs it",
        arguments: [
            #""error":null"#, #""error":"""#, #""error":false"#, #""refresh_token":"""#,
            #""refresh_token":1"#, #""refresh_token":false"#, #""id_token":"""#, #""id_token":{}"#,
            #""device_secret":"""#, #""device_secret":[]"#, #""expires_in":"""#,
            #""expires_in":"soon""#, #""expires_in":true"#, #""expires_in":{}"#,
            #""expires_in":-1"#, #""expires_in":-1e300"#, #""expires_in":"-5""#,
            #""expires_in":"99999999999999999999""#, #""scope":["a"]"#, #""scope":"a\u0022""#,
            #""refresh_token_expires_in":"""#, #""error_description":null"#,
        ]
    )
    func foreign(member: String) throws {
        let response = try read(#"{"access_token":"a","token_type":"Bearer",\#(member)}"#)
        #expect(response.accessToken.reveal() == "a")
        #expect(response.refreshToken == nil && response.idToken == nil)
        #expect(response.expiresIn == nil && response.scope == nil)
    }

    @Test(
        "RFC 6749 §5.1: a refusal names the member, and is the same whatever the member",
        arguments: [
            (#"{"token_type":"Bearer"}"#, "access_token"),
            (#"{"access_token":1,"token_type":"Bearer"}"#, "access_token"),
            (#"{"access_token":"a b","token_type":"Bearer"}"#, "access_token"),
            (#"{"access_token":"a"}"#, "token_type"),
            (#"{"access_token":"a","token_type":null}"#, "token_type"),
            (#"{"access_token":"a","token_type":"Bearer","error":"x"}"#, "error"),
            (#"{"access_token":"a","token_type":"Bearer","error":{}}"#, "error"),
            (#"{"access_token":"a","token_type":"Bearer","refresh_token":"r\n"}"#, "refresh_token"),
            (#"{"access_token":"a","token_type":"Bearer","refresh_token":"ä"}"#, "refresh_token"),
            (#"{"access_token":"a","token_type":"Bearer","id_token":"i j"}"#, "id_token"),
        ]
    )
    func named(text: String, member: String) throws {
        let thrown = #expect(throws: TokenResponse.Refusal.self) { try read(text) }
        let refusal = try #require(thrown)
        #expect(refusal == .malformed)
        #expect(refusal.member.map { "\($0)" } == member)
    }

    @Test("RFC 6749 appendix A.17: a refresh token may have spaces, also one to be saved")
    func spaces() throws {
        for token in ["r 1", " ", "  r", "r  ", "!~ ~!"] {
            let good =
                #"{"access_token":"a","token_type":"Bearer","refresh_token":"\#(token)"}"#
            #expect(try read(good).refreshToken?.reveal() == token)
            let bad = #"{"access_token":"a b","error":"","refresh_token":"\#(token)"}"#
            #expect(TokenResponse.refreshToken(in: Array(bad.utf8))?.reveal() == token)
        }
        let refused = #"{"error":"x","refresh_token":"r 1"}"#
        #expect(TokenResponse.refreshToken(in: Array(refused.utf8)) == nil)
    }

    @Test(
        "RFC 6749 §5.1, §7.1: the token type is read without regard to case, unknown ones refused",
        arguments: ["mac", "example", "DPoP", "Bearer ", "", "b\u{E9}arer"]
    )
    func tokenType(type: String) throws {
        for good in ["Bearer", "bearer", "BEARER"] {
            _ = try read(#"{"access_token":"a","token_type":"\#(good)"}"#)
        }
        #expect(throws: TokenResponse.Refusal.unknownTokenType) {
            try read(#"{"access_token":"a","token_type":"\#(type)"}"#)
        }
    }

    @Test(
        "attack H12: expires_in is a number or a numeric text, huge ones are cut, nothing traps",
        arguments: [
            ("3600", 3600), ("\"3600\"", 3600), ("3600.5", 3600), ("0", 0), ("1e3", 1000),
            ("9223372036854775807", 316_224_000), ("9223372036854775808", 316_224_000),
            ("1e300", 316_224_000), ("\"999999999999999999\"", 316_224_000),
        ] as [(String, Int64)]
    )
    func lifetime(text: String, seconds: Int64) throws {
        let response = try read(
            #"{"access_token":"a","token_type":"Bearer","expires_in":\#(text)}"#
        )
        #expect(response.expiresIn == seconds)
    }

    @Test(
        "attack H12, attack E19: an answer that is none is refused whole",
        arguments: [
            "", "null", "[]", "<html>", "{}", #"{"token_type":"Bearer"}"#,
            #"{"access_token":"a"}"#, #"{"access_token":null,"token_type":"Bearer"}"#,
            #"{"access_token":"","token_type":"Bearer"}"#,
            #"{"access_token":1,"token_type":"Bearer"}"#,
            #"{"access_token":"a b","token_type":"Bearer"}"#,
            #"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#,
            #"{"access_token":"ä","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":1}"#,
            #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"Bearer","refresh_token":"r\u0000"}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":1e309}"#,
            #"{"error":"x"}"#, #"{"access_token":"a","token_type":"Bearer","error":"x"}"#,
        ]
    )
    func refused(text: String) {
        #expect(throws: TokenResponse.Refusal.malformed) { try read(text) }
    }

    @Test("WEB-INPUT-1: 256 kB of combining marks are compared with nothing")
    func marks() {
        // Comparing them as text would take seconds.
        let marks = String(repeating: "\u{301}\u{316}", count: 60_000)
        for text in [
            #"{"access_token":"a","token_type":"b\#(marks)"}"#,
            #"{"access_token":"a","token_type":"Bearer","scope":"b\#(marks)"}"#,
        ] {
            #expect(throws: TokenResponse.Refusal.malformed) { try read(text) }
        }
    }

    @Test("attack E19: invalid UTF-8 is refused")
    func invalidUTF8() {
        let text =
            Array(#"{"access_token":"a","token_type":"Bearer","x":""#.utf8) + [0xFF, 0x22, 0x7D]
        #expect(throws: TokenResponse.Refusal.malformed) { try TokenResponse(parsing: text) }
    }

    @Test("A response that is printed shows no token")
    func redaction() throws {
        let response = try read(#"{"access_token":"SECRET","token_type":"Bearer","id_token":"S2"}"#)
        var dumped = ""
        dump(response, to: &dumped)
        for text in ["\(response)", String(reflecting: response), dumped] {
            #expect(!text.contains("SECRET"))
            #expect(!text.contains("S2"))
        }
    }
}

@Suite("Error answers of the token endpoint, as the client reads them")
struct ErrorResponseTests {
    private func read(_ status: Int, _ type: String?, _ body: String) -> OAuthError.Code? {
        error(status, type, body)?.code
    }

    private func error(_ status: Int, _ type: String?, _ body: String) -> ErrorResponse? {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentType] = type
        return ErrorResponse(HTTPReply(response: response, body: Array(body.utf8)))
    }

    @Test("RFC 6749 §5.2: description and address are cut, and of one line")
    func words() throws {
        let long = String(repeating: "é", count: 600)
        let answer = try #require(
            error(
                400,
                "application/json",
                #"{"error":"x","error_description":"a\r\nb\u001b[2J","error_uri":"ftp://e"}"#
            )
        )
        #expect(answer.description == "a  b [2J")
        #expect(answer.address == nil)
        let cut = ErrorResponse(.invalidGrant, description: "a" + long, address: "http://e/" + long)
        #expect(cut.description == "a" + long.prefix(511))
        #expect(cut.address == nil)
        #expect(ErrorResponse(.invalidGrant, description: "").description == nil)
    }

    @Test(
        "RFC 6749 §5.2: the code is cut too, and no text turns the direction of what is around it"
    )
    func controls() throws {
        let code = OAuthError.Code(rawValue: "a\r\u{202E}b" + String(repeating: "é", count: 200))
        let words = "a\u{2028}b\u{2029}c\u{202A}d\u{2066}e\u{200F}f\u{61C}g\u{85}h\u{200C}i"
        let error = ErrorResponse(code, description: words)
        #expect(error.code.rawValue == "a  b" + String(repeating: "é", count: 126))
        // A joiner belongs to the words of some languages.
        #expect(error.description == "a b c d e f g h\u{200C}i")
        #expect(ErrorResponse(.invalidGrant).code == .invalidGrant)
    }

    @Test("RFC 6749 §5.2: the code of a JSON answer with a 4xx status")
    func code() {
        #expect(read(400, "application/json", #"{"error":"invalid_grant"}"#) == .invalidGrant)
        #expect(
            read(401, "Application/JSON; charset=utf-8", #"{"error":"invalid_client"}"#)
                == .invalidClient
        )
    }

    @Test("RFC 6749 §5.2: what a gateway says is no answer of the token endpoint")
    func noAnswer() {
        #expect(read(400, "text/html", #"{"error":"invalid_grant"}"#) == nil)
        #expect(read(400, nil, #"{"error":"invalid_grant"}"#) == nil)
        #expect(read(500, "application/json", #"{"error":"invalid_grant"}"#) == nil)
        #expect(read(302, "application/json", #"{"error":"invalid_grant"}"#) == nil)
        #expect(read(400, "application/json", #"{"error":""}"#) == nil)
        #expect(read(400, "application/json", #"{"error":1}"#) == nil)
        #expect(read(400, "application/json", "<html>") == nil)
        #expect(
            read(400, "application/json", #"{"error":"invalid_grant","error":"x"}"#) == nil
        )
    }
}

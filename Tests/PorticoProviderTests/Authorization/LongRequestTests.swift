import HTTPTypes
@testable import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Long requests: carried, or refused before anyone types a password")
struct LongRequestTests {
    /// Every standard claim in both places, as conformance suites ask for them.
    static let everything: String = {
        var place = JSONObject()
        for (index, name) in StandardClaims.names.enumerated() {
            place[name] = index % 3 == 0 ? .null : ["essential": .bool(index % 3 == 1)]
        }
        place["unknown_to_everybody"] = ["essential": true, "value": "x", "extra": ["y": 1]]
        place["name#de"] = .null
        let claims: JSONObject = ["id_token": .object(place), "userinfo": .object(place)]
        return String(decoding: claims.serialized(), as: UTF8.self)
    }()

    /// ``everything``, so many bytes long.
    private static func claims(ofLength length: Int) -> String {
        let padding = #","z":{"value":""}}}"#
        let short = String(everything.dropLast(2)) + padding
        let missing = length - short.utf8.count
        return String(short.dropLast(4)) + String(repeating: "z", count: missing) + #""}}}"#
    }

    private static func request(_ claims: String) -> [(String, String)] {
        TestFlow.request("native1", scope: "openid", [("claims", claims), ("prompt", "login")])
    }

    @Test(
        "OpenID Connect Core §5.5: claims of 4 kB go through, sent, posted and pushed",
        arguments: [everything.utf8.count, 4096]
    )
    func goesThrough(_ length: Int) async throws {
        let claims = length == 4096 ? Self.claims(ofLength: 4096) : Self.everything
        #expect(claims.utf8.count == length)
        let server = try await ProviderUnderTest()
        let pushed = try await server.push(Self.request(claims))
        let uri = try pushed.requestURI
        for way in 0..<3 {
            let browser = TestBrowser(server)
            let page =
                switch way {
                case 0: try await browser.authorize(Self.request(claims))
                case 1:
                    try await browser.post(.endpoint("auth"), Self.request(claims))
                default:
                    try await browser.authorize([("client_id", "native1"), ("request_uri", uri)])
                }
            expectPage(page, "authenticate")
            #expect(page.hiddenFields.allSatisfy { $0.value.utf8.count < 2500 })
            let fields = TestRealm.login()
            let answer = try await browser.submit(page, fields)
            // What was asked for by name is in it, and makes no code longer.
            #expect(expectCode(answer).utf8.count < 600)
            let tokens = try await server.redeem(answer.redirected["code"] ?? "")
            let token = try tokens.claims
            let access = try tokens.accessToken
            for claims in [token, try await server.userInfo(access).json] {
                #expect(claims.string("email") == "alice@example.com")
                #expect(claims.string("given_name") == "Alice")
                #expect(claims.string("family_name") == "Example")
                #expect(claims["updated_at"] != nil)
                #expect(claims["unknown_to_everybody"] == nil)
            }
        }
    }

    @Test("OpenID Connect Core §5.5: what single claims were asked for outlives the code")
    func refresh() async throws {
        let server = try await ProviderUnderTest()
        let claims = #"{"id_token":{"email":null},"userinfo":{"given_name":{"essential":true}}}"#
        let tokens = try await server.tokens(scope: "openid", [("claims", claims)])
        let reply = try await server.refresh(tokens.refreshToken)
        let idToken = try reply.claims
        #expect(idToken.string("email") == "alice@example.com")
        #expect(idToken["given_name"] == nil)
        let info = try await server.userInfo(try reply.accessToken).json
        #expect(info.string("given_name") == "Alice")
        #expect(info["email"] == nil)
    }

    @Test(
        "OpenID Connect Core §5.5, RFC 6749 §4.1.2.1: longer claims are refused at once, everywhere",
        arguments: [4097, 65_000]
    )
    func tooLong(_ length: Int) async throws {
        let claims = Self.claims(ofLength: length)
        #expect(claims.utf8.count == length)
        let server = try await RefusedRequests.server.value
        let request = TestFlow.request("native1", [("claims", claims)])
        expectError(
            try await server.send(.get, TestBrowser.authorizationPath(request)),
            "invalid_request"
        )
        // A form of more than 64 kB is not read at all.
        guard length < 10_000 else { return }
        try await expectRefused([("claims", claims)], as: "invalid_request")
    }

    @Test("RFC 6749 §4.1.2: a code has room for what was accepted, and for no byte more")
    func room() async throws {
        let room = AuthorizationCodeSeal.room
        let nonce = String(repeating: "n", count: 255)
        let long = room - nonce.utf8.count - "openid roles ".utf8.count
        let tokens = stride(from: 0, to: long, by: 100).map { start in
            let length = min(100, long - start) - (start == 0 ? 0 : 1)
            return String("\(start / 100)" + String(repeating: "s", count: 200)).prefix(length)
        }.map(String.init)
        let last = (tokens.last ?? "") + "s"
        let person = String(repeating: "p", count: 255)
        let server = try await ProviderUnderTest { realm in
            for index in realm.people.indices where realm.people[index].person.username == "alice" {
                realm.people[index].person.id = person
                realm.people[index].roles = []
            }
            for index in realm.clients.indices {
                realm.clients[index].optionalScopes += tokens + [last]
            }
        }
        func request(_ scopes: [String]) -> [(String, String)] {
            TestFlow.request(
                "native1",
                scope: (["openid"] + scopes).joined(separator: " "),
                [("nonce", nonce), ("claims", Self.everything)]
            )
        }
        let code = expectCode(try await TestBrowser(server).signIn("alice", request(tokens)))
        #expect(code.utf8.count <= AuthorizationCodeSeal.maximumLength)
        // Not by chance: nearly nothing is left.
        #expect(code.utf8.count > AuthorizationCodeSeal.maximumLength - 100)
        let reply = try await server.redeem(code)
        #expect(reply.status == 200)
        #expect(reply.json.string("scope")?.utf8.count == room - 255)
        let claims = try reply.claims
        #expect(claims.string("sub") == person && claims.string("nonce") == nonce)
        // RFC 9449 §10: the key that it is bound to takes none of that.
        let app = try Prover(server)
        let bound = expectCode(
            try await TestBrowser(server).signIn(
                "alice",
                request(tokens) + [("dpop_jkt", app.key.thumbprint.text)]
            )
        )
        #expect(try await app.redeem(bound).json.string("token_type") == "DPoP")
        // One byte more is refused before there is a page, and where it is pushed.
        let wide = request(tokens.dropLast() + [last])
        expectError(try await TestBrowser(server).authorize(wide), "invalid_request")
        let pushed = try await server.push(wide)
        #expect(pushed.status == 400 && pushed.error == "invalid_request")
        #expect(try await server.remains().pushedRequests == 0)
    }

    @Test("A request that no page can carry is refused before the first one, by its redirect")
    func pages() async throws {
        func request(_ length: Int) -> [(String, String)] {
            let request = TestFlow.request("third", [("prompt", "login")]) + [("x", "")]
            let bare = FormEncoding.encode(request.map { (name: $0.0, value: $0.1) }).count
            return request.dropLast() + [("x", String(repeating: "x", count: length - bare))]
        }
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        expectError(try await browser.authorize(request(16_385)), "invalid_request", of: "third")
        let posted = try await server.post(
            .endpoint("auth"),
            request(16_385),
            headers: HTTPField.Name("Sec-Fetch-Site").map { [$0: "cross-site"] } ?? [:]
        )
        expectError(posted, "invalid_request", of: "third")
        // What the first page carries, the last one does.
        let consent = try await browser.signIn("alice", request(16_384))
        expectPage(consent, "consent")
        expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
    }

    @Test(
        "What is carried on is never longer than what came: it is not refused after the password",
        arguments: [
            (#"{"id_token":{"sub":{"value":""#, #""}}}"#),
            (#"{"id_token":{"name":{},"sub":{"value":"\/"#, #""}}}"#),
            (
                #"{"id_token":{"acr":{"essential":true,"values":[1,"1"]},"sub":{"value":1}},"x":""#,
                #""}"#
            ),
        ]
    )
    func neverLonger(_ start: String, _ end: String) async throws {
        let padding = 4096 - start.utf8.count - end.utf8.count
        let claims = start + String(repeating: "z", count: padding) + end
        #expect(claims.utf8.count == 4096)
        let server = try await ProviderUnderTest()
        expectPage(try await TestBrowser(server).authorize(Self.request(claims)), "authenticate")
        let pushed = try await server.push(Self.request(claims))
        #expect(pushed.status == 201)
        let uri = try pushed.requestURI
        let parameters = [("client_id", "native1"), ("request_uri", uri)]
        for request in [Self.request(claims), parameters] {
            let browser = TestBrowser(server)
            let reply = try await browser.signIn("alice", request)
            // No one has such a sub: that is what is answered, not that the request is too long.
            let error = reply.redirected["error"]
            #expect(error == nil || error == "login_required", "\(error ?? "")")
        }
    }

    @Test("OpenID Connect Core §5.5: nothing is kept of claims that no one serves")
    func kept() async throws {
        let server = try await ProviderUnderTest()
        let nothing =
            #"{"id_token":{"a":null,"auth_time":{"essential":true}},"userinfo":{},"x":{}}"#
        _ = try await server.tokens(scope: "openid", [("claims", nothing)])
        let some = #"{"id_token":{"email":{"essential":true}},"userinfo":{"a":null}}"#
        _ = try await server.tokens(scope: "openid", [("claims", some)])
        let kept = try server.database.database.read { reader in
            try reader.rows("SELECT claims FROM grants ORDER BY id", []) { try $0.optionalText(0) }
        }
        #expect(kept.count == 2)
        #expect(Set(kept) == [nil, #"{"id_token":{"email":null}}"#])
    }

    @Test(
        "OpenID Connect Core §5.5: of a claims parameter is carried what is served, and what judges it",
        arguments: [
            (#"{}"#, nil), (#"{"id_token":{},"userinfo":null}"#, nil),
            (
                #"{"id_token":{"zoneinfo":{"essential":true,"values":["x"]}}}"#,
                #"{"id_token":{"zoneinfo":null}}"#
            ),
            (#"{"userinfo":{"email":null,"x":null}}"#, #"{"userinfo":{"email":null}}"#),
            (#"{"userinfo":{"sub":{"value":"a"}}}"#, nil), (#"{"id_token":{"sub":null}}"#, nil),
            (#"{"id_token":{"sub":{"value":"a"}}}"#, #"{"id_token":{"sub":{"values":["a"]}}}"#),
            (
                #"{"id_token":{"sub":{"values":[5,"b"]}}}"#,
                #"{"id_token":{"sub":{"values":["b"]}}}"#
            ),
            // No one has such a sub, and no one it stays.
            (#"{"id_token":{"sub":{"value":5}}}"#, #"{"id_token":{"sub":{"values":[null]}}}"#),
            (#"{"id_token":{"acr":{"values":["1"]}}}"#, nil),
            (
                #"{"id_token":{"acr":{"essential":true,"value":"1"}}}"#,
                #"{"id_token":{"acr":{"essential":true,"values":["1"]}}}"#
            ),
        ] as [(String, String?)]
    )
    func compact(_ claims: String, _ expected: String?) throws {
        let request = try ClaimsRequest(claims)
        let compact = request.compact(keeping: StandardClaims.isStandard)
        #expect(compact == expected)
        // It says the same, and no more is left out of it.
        guard let compact else { return }
        let again = try ClaimsRequest(compact)
        #expect(again.subjects == request.subjects)
        #expect(again.essentialACR == request.essentialACR)
        #expect(again.compact(keeping: StandardClaims.isStandard) == compact)
    }

    @Test("The places of claims in a code: another order needs another version of it")
    func places() {
        #expect(
            StandardClaims.names.joined(separator: " ")
                == """
                name given_name family_name middle_name nickname preferred_username profile picture \
                website gender birthdate zoneinfo locale updated_at email email_verified address \
                phone_number phone_number_verified
                """
        )
        for name in StandardClaims.names {
            #expect(StandardClaims.Selection([name, "x"]).names == [name])
        }
    }
}

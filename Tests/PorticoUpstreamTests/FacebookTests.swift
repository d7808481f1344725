import Crypto
import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Facebook")
struct FacebookTests {
    private static let graph = "https://graph.facebook.com/v23.0"

    private func scene(_ settings: JSONObject = [:], me: JSONObject = ["id": "4711"]) throws
        -> Scene
    {
        let scene = try Scene(.facebook, settings, secret: "app s3cret")
        scene.tell { $0.tokens = ["id_token": .null, "refresh_token": .null] }
        scene.world.answer(Self.graph + "/me") { _ in .json(me) }
        return scene
    }

    /// What `debug_token` says of a token.
    private func debug(_ scene: Scene, _ token: JSONObject) {
        scene.world.answer(Self.graph + "/debug_token") { _ in .json(["data": .object(token)]) }
    }

    @Test("PRV-F-1, PRV-F-2: dialog, token endpoint and profile, of the configured version")
    func addresses() async throws {
        let scene = try scene()
        let address = try await scene.begin().address
        #expect(address.hasPrefix("https://www.facebook.com/v23.0/dialog/oauth?"))
        #expect(try parameter("scope", of: address) == "public_profile email")
        #expect(try parameter("state", of: address) != nil)
        _ = try await scene.signIn()
        #expect(
            scene.world.requests.map(\.address) == [
                "https://graph.facebook.com/v23.0/oauth/access_token",
                "https://graph.facebook.com/v23.0/me",
            ]
        )
        let token = try #require(scene.world.requests.first)
        #expect(token.form["client_id"] == "us" && token.form["client_secret"] == "app s3cret")
        #expect(token.form["code_verifier"] != nil)
        let older = try Scene(.facebook, ["version": "v19.0"]).client.provider
        #expect(older.graph == "https://graph.facebook.com/v19.0")
    }

    @Test("PRV-F-3: the profile is asked for with a proof, the token not in the address")
    func proof() async throws {
        let scene = try scene(me: [
            "id": "4711", "name": "Alice", "email": "a@example.com",
            "picture": ["data": ["url": "https://scontent.example/a.jpg"]],
        ])
        let person = try await scene.signIn()
        #expect(person.subject == "4711" && person.issuer == "https://www.facebook.com")
        #expect(person.name == "Alice" && person.picture == "https://scontent.example/a.jpg")
        let request = try #require(scene.world.requests(Self.graph + "/me").first)
        let fields = try #require(request.query["fields"]).split(separator: ",")
        #expect(Set(fields).isSuperset(of: ["id", "name", "email"]))
        let proof = HMAC<SHA256>.authenticationCode(
            for: Data("A1".utf8),
            using: SymmetricKey(data: Data("app s3cret".utf8))
        )
        #expect(
            request.query["appsecret_proof"] == proof.map { String(format: "%02x", $0) }.joined()
        )
        #expect(request.query["access_token"] == nil)
        #expect(request.fields[.authorization] == "Bearer A1")
    }

    @Test("PRV-F-5, PRV-F-6: an address may be missing, and is never verified, whatever is said")
    func email() async throws {
        let without = try await scene(me: ["id": "4711", "name": "A"]).signIn()
        #expect(without.email == nil && without.matchesEmail == .never)
        let with = try await scene(me: [
            "id": "4711", "email": "victim@gmail.com", "email_verified": true, "verified": true,
        ]).signIn()
        #expect(with.email?.isVerified == false)
        #expect(with.matchesEmail == .ask && !with.isAuthoritative)
        // Nor by a token of Limited Login, whose claims are all read.
        let limited = try Scene(.facebook)
        let text = limited.nativeToken(
            ["email": "victim@gmail.com", "email_verified": true],
            nonce: "n"
        )
        let token = NativeToken(idToken: text, nonce: SecretText("n"))
        let told = try await limited.client.verifyNative(
            token,
            audiences: ["us"],
            at: limited.clock.now
        )
        #expect(told.email?.address == "victim@gmail.com" && told.email?.isVerified == false)
        #expect(told.matchesEmail == .ask && !told.isAuthoritative)
    }

    @Test("PRV-F-7, PRV-F-8: with openid an ID Token says who it is, as the profile does")
    func openID() async throws {
        let scene = try Scene(
            .facebook,
            ["scopes": ["openid", "public_profile", "email"]],
            claims: ["sub": "4711", "email": "a@gmail.com", "email_verified": true]
        )
        let person = try await scene.signIn()
        let other = try await self.scene().signIn()
        #expect(person.subject == other.subject && person.issuer == other.issuer)
        #expect(person.email?.isVerified == false && person.matchesEmail == .ask)
        #expect(scene.world.requests(Self.graph + "/me").isEmpty)
        let request = try #require(scene.world.requests(scene.addresses.token).first)
        #expect(request.form["code_verifier"]?.utf8.count == 43)
        #expect(await scene.failure(claims: ["nonce": "other"]) == .rejected(.nonce))
        scene.tell { $0.tokens = ["id_token": .null] }
        #expect(await scene.failure() == .rejected(.idTokenMissing))
    }

    @Test("attack E23, PRV-F-4: an app's token is examined: its own app, its own owner, still good")
    func substitution() async throws {
        let good: JSONObject = [
            "is_valid": true, "app_id": "us", "user_id": "4711", "expires_at": 1_700_003_600,
        ]
        for (change, expected) in [
            ([:], nil), (["expires_at": 0], nil),
            (["app_id": "another"], .rejected(.nativeToken)),
            (["app_id": .null], .rejected(.nativeToken)),
            (["app_id": 1], .rejected(.nativeToken)),
            (["is_valid": false], .rejected(.accessToken)),
            (["is_valid": "true"], .rejected(.accessToken)),
            (["is_valid": .null], .rejected(.accessToken)),
            (["user_id": "666"], .rejected(.subject)),
            (["user_id": .null], .rejected(.accessToken)),
            (["expires_at": 1_700_000_000], .rejected(.accessToken)),
        ] as [(JSONObject, SignInError.Kind?)] {
            let scene = try scene()
            var token = good
            token.take(change)
            debug(scene, token)
            let failure = await kind(of: {
                let person = try await scene.client.verifyNative(
                    NativeToken(accessToken: SecretText("EAAx")),
                    audiences: ["us"],
                    at: scene.clock.now
                )
                #expect(person.subject == "4711" && person.tokenHash == Hash256(of: "EAAx"))
            })
            #expect(failure == expected)
            let request = try #require(scene.world.requests(Self.graph + "/debug_token").first)
            #expect(request.query["input_token"] == "EAAx")
            #expect(request.query["access_token"] == "us|app s3cret")
        }
    }

    @Test(
        "PRV-F-16: errors of the Graph API are told by their number, never by their words",
        arguments: [
            (190, 400, .rejected(.accessToken)), (190, 401, .rejected(.accessToken)),
            (4, 403, .transient(.tooManyRequests, retryAfter: nil)),
            (2, 500, .transient(.serverError, retryAfter: nil)),
            (101, 400, .misconfigured(.clientRefused)),
            (2500, 400, .rejected(.accessToken)), (999, 400, .misconfigured(.requestRefused)),
        ] as [(Int64, Int, SignInError.Kind)]
    )
    func graphErrors(code: Int64, status: Int, expected: SignInError.Kind) async throws {
        let scene = try scene()
        let error: JSONObject = [
            "error": ["message": "SECRET words", "type": "OAuthException", "code": .integer(code)]
        ]
        scene.world.answer(Self.graph + "/me") { _ in .json(error, status: status) }
        let failure = await scene.failure()
        #expect(failure == expected)
        #expect(!String(describing: failure).contains("SECRET"))
        // A code that is not good any more.
        let used = try self.scene()
        used.world.answer(used.addresses.token) { _ in
            .json(["error": ["message": "SECRET", "code": 100]], status: 400)
        }
        #expect(await used.failure() == .rejected(.codeRefused))
    }

    @Test("A profile without an id, or that is not JSON, is refused")
    func profile() async throws {
        for me in [[:], ["id": ""], ["id": 4711], ["id": .null]] as [JSONObject] {
            #expect(await (try scene(me: me)).failure() == .rejected(.profile))
        }
        let scene = try scene()
        scene.world.answer(Self.graph + "/me") { _ in
            HTTPReply(response: HTTPResponse(status: .ok), body: Array("<html>".utf8))
        }
        #expect(await scene.failure() == .rejected(.profile))
    }

    @Test("PRV-F-14: a signed request is read only where the app secret signed it")
    func signedRequest() throws {
        let client = try scene().client
        func request(_ payload: String, key: String = "app s3cret") -> String {
            let text = Base64URL.encode(Array(payload.utf8))
            let signature = HMAC<SHA256>.authenticationCode(
                for: Data(text.utf8),
                using: SymmetricKey(data: Data(key.utf8))
            )
            return "\(Base64URL.encode(Array(signature))).\(text)"
        }
        let good = #"{"algorithm":"HMAC-SHA256","issued_at":1700000000,"user_id":"4711"}"#
        let read = try client.verifySignedRequest(request(good))
        #expect(read.userID == "4711" && read.issuedAt == 1_700_000_000)
        let payload = Base64URL.encode(Array(good.utf8))
        for (text, refusal) in [
            (request(good, key: "another"), .signature), ("AAAA.\(payload)", .signature),
            (".\(payload)", .signature), (payload, .malformed), ("", .malformed),
            (request(good) + ".x", .malformed), (request(good) + "=", .malformed),
            (request(good.replacing("SHA256", with: "SHA1")), .algorithm),
            (request(good.replacing("HMAC-SHA256", with: "none")), .algorithm),
            // What a browser gets when a person signs in.
            (request(good.replacing("}", with: #","code":"AQB"}"#)), .ofSignIn),
            (request(good.replacing("}", with: #","oauth_token":"EAA"}"#)), .ofSignIn),
            (request(good.replacing("}", with: #","code":null}"#)), .ofSignIn),
            (request(#"{"user_id":"4711"}"#), .algorithm),
            (request(#"{"algorithm":"HMAC-SHA256"}"#), .malformed), (request("x"), .malformed),
            (String(repeating: "A", count: 1 << 20), .malformed),
        ] as [(String, SignedRequest.Refusal)] {
            #expect(throws: refusal) { try client.verifySignedRequest(text) }
        }
        #expect(throws: SignedRequest.Refusal.notConfigured) {
            try Scene(.google).client.verifySignedRequest(request(good))
        }
    }

    @Test("PRV-F-15: neither secret nor token is in an error or a description")
    func silence() async throws {
        let scene = try scene()
        scene.world.answer(Self.graph + "/me") { _ in .json([:], status: 400) }
        let failure = await scene.failure()
        var dumped = String(describing: failure)
        dump(scene.client.proof, to: &dumped)
        dump(try await scene.begin().attempt, to: &dumped)
        for secret in ["s3cret", "A1", "us|"] { #expect(!dumped.contains(secret)) }
    }
}

@Suite("What a provider says of a person")
struct PersonTests {
    private func person(_ claims: JSONObject) throws -> ProvenPerson {
        let provider = try IdentityProvider(
            name: "x",
            kind: .oidc,
            settings: Scene.settings(.oidc, [:])
        )
        return ProvenPerson(claims, subject: "alice", of: provider)
    }

    @Test(
        "A name is words: bounded, on one line, without what turns or hides text",
        arguments: [
            ("Alice", "Alice"), ("  A \n\t B ", "A B"), ("A\u{0}\u{1B}[31mB", "A[31mB"),
            ("\u{202E}evil\u{2066}", "evil"), ("\u{200B}\u{FEFF}", nil), ("", nil), ("   ", nil),
            ("أليس", "أليس"), ("王 小明", "王 小明"), ("A\u{2028}B", "AB"),
        ] as [(String, String?)]
    )
    func name(words: String, expected: String?) throws {
        #expect(try person(["name": .string(words)]).name == expected)
    }

    @Test("A name is at most 200 characters, and made of its parts where it is missing")
    func parts() throws {
        let long = String(repeating: "a", count: 5000)
        #expect(try person(["name": .string(long)]).name?.count == 200)
        // A reader accepts no more of what is not ASCII, however few characters it is.
        let family = String(repeating: "\u{1F469}\u{1F3FD}", count: 150)
        let name = try #require(try person(["name": .string("Ann é" + family)]).name)
        #expect(name.hasPrefix("Ann é") && (1000...1024).contains(name.utf8.count))
        let marks = "A" + String(repeating: "\u{301}", count: 2000)
        #expect(try person(["name": .string("Ann \(marks)")]).name == "Ann")
        #expect(try person(["name": .string(marks)]).name == nil)
        #expect(try person(["given_name": "Ann", "family_name": "Lee"]).name == "Ann Lee")
        #expect(try person(["family_name": "Lee"]).name == "Lee")
        #expect(try person(["name": 7]).name == nil)
    }

    @Test(
        "What is no address is none",
        arguments: [
            "a", "@example.com", "a@", "a@b@c", "a b@example.com", "a@example.com\n",
            "a,b@c.example",
            "\"a\"@example.com", "<a@example.com>", "a@exa\u{0}mple.com",
            String(repeating: "a", count: 250) + "@x.example",
        ]
    )
    func address(text: String) throws {
        let person = try person(["email": .string(text), "email_verified": true])
        #expect(person.email == nil && person.matchesEmail == .never)
    }

    @Test("A picture is an https address, or none")
    func picture() throws {
        #expect(try person(["picture": "https://a.example/b.png"]).picture != nil)
        for text in [
            "http://a.example/b.png", "javascript:alert(1)", "data:image/png;base64,AA", "",
        ] {
            #expect(try person(["picture": .string(text)]).picture == nil)
        }
    }

    @Test("OIDCBCL-2.1-1: the provider's session is kept where it names one")
    func session() throws {
        #expect(try person(["sid": "s1"]).providerSessionID == "s1")
        for sid in ["", 7, .null, .string(String(repeating: "s", count: 256))] as [JSONValue] {
            #expect(try person(["sid": sid]).providerSessionID == nil)
        }
    }
}

import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

@Suite("What authorization servers answer our client") struct ATAnswerTests {
    private let world: ClientWorld

    init() throws {
        world = try ClientWorld()
    }

    private typealias Answer = Result<HTTPReply, HTTPTransportError>

    @Test("ATP-TL-1: tokens are taken as the server gives them, with its times")
    func tokens() async throws {
        let client = world.client(ScriptedServer([.tokens(["expires_in": 3600])]))
        let tokens = try await world.refresh(by: client)
        #expect(tokens.access.reveal() == "access-1")
        #expect(tokens.refresh?.reveal() == "refresh-1")
        #expect(tokens.expiresIn == 3600)
        #expect(tokens.scope.text == "atproto transition:generic")
        #expect(try tokens.subject == world.alice)
        let fewer = world.client(
            ScriptedServer([.tokens(["scope": "atproto"], without: "refresh_token")])
        )
        let kept = try await world.refresh(by: fewer)
        #expect(kept.refresh == nil)
        #expect(kept.scope.text == "atproto")
        let silent = world.client(ScriptedServer([.tokens(without: "expires_in")]))
        #expect(try await world.refresh(by: silent).expiresIn == nil)
        let small = world.client(ScriptedServer([.tokens(["token_type": "dpop"])]))
        #expect(try await world.refresh(by: small).access.reveal() == "access-1")
    }

    @Test("ATP-CB-7: a token that is not bound to our key is refused, and its successor is kept")
    func tokenType() async throws {
        for type in ["Bearer", "bearer", "", "DPoP ", "N_A"] {
            let failure = await world.failure(.tokens(["token_type": .string(type)]))
            #expect(failure == .unusable(.tokenType, successor: SecretText("refresh-1")), "\(type)")
        }
        #expect(
            await world.failure(.tokens(without: "token_type"))
                == .unusable(.notTokens, successor: SecretText("refresh-1"))
        )
    }

    @Test("ATP-CB-5: an answer without the scope atproto is refused")
    func scope() async throws {
        let answers: [Answer] = [
            .tokens(without: "scope"), .tokens(["scope": ""]), .tokens(["scope": "openid"]),
            .tokens(["scope": "atproto2 transition:generic"]), .tokens(["scope": "Atproto"]),
            .tokens(["scope": ["atproto"]]),
            .tokens(["scope": .string("atproto " + String(repeating: "x", count: 4096))]),
        ]
        for (index, answer) in answers.enumerated() {
            #expect(
                await world.failure(answer)
                    == .unusable(.scope, successor: SecretText("refresh-1")),
                "\(index)"
            )
        }
    }

    @Test("ATP-CB-3: tokens of no one, or of another than the sign-in began with, are refused")
    func subject() async throws {
        let successor = SecretText("refresh-1")
        for subject in ["", "alice.example.com", "did:plc:short", "did:key:z6", "did:web:10.0.0.1"]
        {
            #expect(
                await world.failure(of: .redeem, .tokens(["sub": .string(subject)]))
                    == .unusable(.subject, successor: successor),
                "\(subject)"
            )
        }
        #expect(
            await world.failure(of: .redeem, .tokens(without: "sub"))
                == .unusable(.subject, successor: successor)
        )
        let other = Answer.tokens(["sub": .string(ScriptedWorld.mallory)])
        #expect(
            await world.failure(of: .redeem, other, of: try world.alice)
                == .unusable(.otherSubject, successor: successor)
        )
        // Of a sign-in that began with a server, the caller asks who that is.
        #expect(await world.failure(of: .redeem, other) == nil)
        // ATP-TL-5: after a refresh it is the same account as before.
        #expect(await world.failure(other) == .unusable(.otherSubject, successor: successor))
    }

    @Test("a refresh token that came with an answer of no use is not lost")
    func successor() async throws {
        let kept = SecretText("refresh-1")
        #expect(
            await world.failure(.tokens(without: "access_token"))
                == .unusable(.notTokens, successor: kept)
        )
        #expect(
            await world.failure(.tokens(["access_token": "a b"]))
                == .unusable(.notTokens, successor: kept)
        )
        #expect(await world.failure(.tokens(nonce: nil)) == .unusable(.noNonce, successor: kept))
        // A page is no answer, even if all of it could be read as one.
        var reply = try Answer.tokens().get()
        reply.response.headerFields[.contentType] = "text/html"
        #expect(await world.failure(.success(reply)) == .unusable(.notTokens, successor: kept))
        let page = Answer.server(200, "<html>", "text/html")
        #expect(await world.failure(page) == .unusable(.notTokens, successor: nil))
        #expect(
            await world.failure(.tokens(["error": "invalid_grant"]))
                == .unusable(.notTokens, successor: nil)
        )
        #expect(
            await world.failure(.tokens(["access_token": 1, "refresh_token": "a\u{1}b"]))
                == .unusable(.notTokens, successor: nil)
        )
        // Whatever it was, the one that was sent may be spent.
        #expect(!ATError.unusable(.notTokens, successor: nil).isDefinite)
        #expect(!ATError.unusable(.tokenType, successor: kept).endsSession)
    }

    @Test("tokens of 32 KiB are kept, and longer ones are not")
    func longTokens() async throws {
        let longest = String(repeating: "a", count: 32 * 1024)
        for name in ["access_token", "refresh_token"] {
            #expect(await world.failure(.tokens([name: .string(longest)])) == nil)
        }
        #expect(
            await world.failure(.tokens(["access_token": .string(longest + "a")]))
                == .unusable(.tooLarge, successor: SecretText("refresh-1"))
        )
        #expect(
            await world.failure(.tokens(["refresh_token": .string(longest + "a")]))
                == .unusable(.tooLarge, successor: nil)
        )
        let padding = String(repeating: " ", count: 256 * 1024)
        #expect(
            await world.failure(.server(200, "{}" + padding))
                == .unusable(.tooLarge, successor: nil)
        )
    }

    @Test("ATP-DP-5: an answer without a nonce is refused, unless that rule is switched off")
    func nonces() async throws {
        var reply = try Answer.pushed.get()
        reply.response.headerFields[try #require(HTTPField.Name("DPoP-Nonce"))] = nil
        #expect(
            await world.failure(of: .push, .success(reply))
                == .unusable(.noNonce, successor: nil)
        )
        #expect(
            await world.failure(of: .redeem, .tokens(nonce: nil))
                == .unusable(.noNonce, successor: SecretText("refresh-1"))
        )
        let lax = world.client(ScriptedServer([.tokens(nonce: nil)]), nonceInAnswers: false)
        #expect(try await world.refresh(by: lax).access.reveal() == "access-1")
        let laxPush = world.client(ScriptedServer([.success(reply)]), nonceInAnswers: false)
        try await world.make(.push, by: laxPush)
    }

    @Test("a pushed request has an address of visible text, of at most 512 bytes")
    func pushed() async throws {
        func answer(_ uri: JSONValue?) -> Answer {
            var json: JSONObject = ["expires_in": 299]
            json["request_uri"] = uri
            return .server(201, String(decoding: json.serialized(), as: UTF8.self))
        }
        let longest = String(repeating: "u", count: 512)
        #expect(await world.failure(of: .push, answer(.string(longest))) == nil)
        for answer in [
            answer(nil), answer(""), answer(1), answer("a b"), answer("é"),
            answer(.string(longest + "u")), .server(201, "urn:x", "text/plain"),
            .server(201, #"{"request_uri":"u"}"#, "text/html"), .server(201, "[]"),
        ] {
            #expect(await world.failure(of: .push, answer) == .unusable(.notPushed, successor: nil))
        }
        let padding = String(repeating: " ", count: 16 * 1024)
        #expect(
            await world.failure(of: .push, .server(201, "{}" + padding))
                == .unusable(.tooLarge, successor: nil)
        )
    }

    @Test(
        "ATP-CA-2, ATP-TL-7: errors mean the same with 400 and 401, and one alone ends a session",
        arguments: [400, 401]
    )
    func errors(status: Int) async throws {
        let expected: [(String, ATError)] = [
            ("invalid_grant", .invalidGrant), ("invalid_client", .client(.invalidClient)),
            ("invalid_client_metadata", .client(.invalidClientMetadata)),
            ("unauthorized_client", .client(.unauthorizedClient)),
            ("invalid_client_id", .client(.invalidClientID)),
            ("invalid_redirect_uri", .client(.invalidRedirectURI)),
            ("use_dpop_nonce", .nonce),
            ("invalid_dpop_proof", .refused(.invalidDPoPProof)),
            ("invalid_token", .refused(.invalidToken)), ("invalid_scope", .refused(.invalidScope)),
            ("invalid_request", .refused(.invalidRequest)),
            ("Invalid_grant", .refused(OAuthError.Code(rawValue: "Invalid_grant"))),
        ]
        for (code, error) in expected {
            for call in [ClientWorld.Call.push, .redeem, .refresh] {
                let failure = await world.failure(of: call, .refusal(code, status: status))
                #expect(failure == error, "\(code)")
                #expect(failure?.endsSession == (code == "invalid_grant"))
                #expect(failure?.isDefinite == true)
            }
        }
    }

    @Test("ATP-TL-4, ATP-TL-7: the trouble of a server, or of the network, ends no session")
    func trouble() async throws {
        let answers: [(Answer, ATError, isDefinite: Bool)] = [
            (.refusal("server_error", status: 500), .server(status: 500), false),
            // A loser of a race.
            (.refusal("invalid_grant", status: 500), .server(status: 500), false),
            (.server(503, "<html>", "text/html"), .server(status: 503), false),
            (.refusal("invalid_grant", status: 429), .server(status: 429), true),
            (.server(400, "invalid_grant", "text/plain"), .server(status: 400), true),
            (.server(404, "{}"), .server(status: 404), true),
            (.refusal("invalid_grant", status: 403), .refused(.invalidGrant), true),
            (.server(302, ""), .server(status: 302), false),
            (.server(204, ""), .server(status: 204), false),
            (.failure(.timedOut), .network(.timedOut), false),
            (.failure(.unreachable), .network(.unreachable), false),
            (.failure(.cancelled), .network(.cancelled), false),
            (.failure(.malformed), .network(.malformed), false),
            (.failure(.refused), .network(.refused), true),
            (.failure(.untrusted), .network(.untrusted), true),
        ]
        for (index, (answer, error, isDefinite)) in answers.enumerated() {
            let failure = await world.failure(answer)
            #expect(failure == error, "\(index)")
            #expect(failure?.endsSession == false, "\(index)")
            #expect(failure?.isDefinite == isDefinite, "\(index)")
        }
    }

    @Test("tokens and errors show no secret")
    func secrets() async throws {
        let tokens = try await world.refresh(by: world.client(ScriptedServer([.tokens()])))
        let failure = try #require(await world.failure(.tokens(["token_type": "Bearer"])))
        let identity = world.identity()
        for text in ["\(tokens)", "\(failure)", "\(identity)", String(reflecting: tokens)] {
            #expect(!text.contains("refresh-1"))
            #expect(!text.contains("access-1"))
        }
    }
}

import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

/// Cases that other libraries' tests and bug reports are made of, in JSON files in a folder outside
/// the repository: `TEST_CLIENT_CASES=FOLDER swift test --filter ClientCaseTests`. Tests of this
/// repository have inputs of their own for the same rules.
private let casesFolder = ProcessInfo.processInfo.environment["TEST_CLIENT_CASES"]

@Suite(
    "Cases of other libraries",
    .enabled(if: casesFolder != nil, "cases from outside, to be looked at by hand")
)
struct ClientCaseTests {
    private func object(_ name: String) throws -> JSONObject {
        let folder = URL(filePath: try #require(casesFolder))
        let data = try Data(contentsOf: folder.appending(path: "\(name).json"))
        return try JSONObject(parsing: Array(data), limits: JSONLimits(size: 1 << 20))
    }

    private func cases(_ list: String, of name: String) throws -> [JSONObject] {
        let cases = try #require(try object(name).array(list)).compactMap(\.object)
        try #require(!cases.isEmpty)
        return cases
    }

    @Test("Authorization responses") func authorizationResponses() throws {
        let context = try #require(try object("authorization-response").object("context"))
        let redirect = "https://app.example/cb"
        for one in try cases("cases", of: "authorization-response") {
            let expected = try #require(one.string("expect"))
            let isAnnounced =
                one.object("context")?.bool("issSupported")
                ?? context.bool("issSupported") ?? false
            let expectation = AuthorizationResponse.Expectation(
                redirectURI: redirect,
                state: SecretText(try #require(context.string("state"))),
                issuer: try Issuer(try #require(context.string("issuer"))),
                isIssuerAnnounced: isAnnounced
            )
            let uri = "\(redirect)?\(one.string("query") ?? "")"
            let outcome: String
            do {
                switch try AuthorizationResponse(uri, expecting: expectation) {
                case .code(let code): outcome = "code \(code.reveal())"
                case .error(let error): outcome = "error \(error.code.rawValue)"
                }
            } catch {
                outcome = "\(error)"
            }
            let isMet =
                switch expected.split(separator: " ").first ?? "" {
                case "code": outcome == expected
                case "error": expected.hasPrefix(outcome)
                case "state": outcome == "otherState"
                case "no", "hybrid": outcome == "malformed"
                case "iss": ["otherIssuer", "forgedError"].contains(outcome)
                case "duplicate": ["otherState", "malformed"].contains(outcome)
                default: false
                }
            #expect(isMet, "\(uri): \(outcome), not \(expected)")
        }
    }

    @Test("Redirects") func redirects() throws {
        for one in try cases("cases", of: "redirect-matching") {
            let redirect = try #require(one.string("bound") ?? one.string("registered"))
            let expectation = AuthorizationResponse.Expectation(
                redirectURI: redirect,
                state: SecretText("s"),
                issuer: try Issuer("https://op.example.com"),
                isIssuerAnnounced: false
            )
            let got = try #require(one.string("got"))
            let uri = got.contains("?") ? "\(got)&state=s" : "\(got)?state=s"
            var isOurs = true
            do {
                _ = try AuthorizationResponse(uri, expecting: expectation)
            } catch {
                isOurs = error != .otherRedirect
            }
            #expect(isOurs == one.bool("match"), "\(redirect) and \(got)")
        }
    }

    @Test("Challenges") func challenges() throws {
        for one in try cases("vectors", of: "www-authenticate") {
            let header = try #require(one.string("header"))
            let parsed = AuthenticationChallenge.parse(header)
            let expected = (one.array("expected") ?? []).compactMap(\.object)
            #expect(
                parsed.map(\.scheme) == expected.compactMap { $0.string("scheme") },
                "\(header)"
            )
            for (parsed, expected) in zip(parsed, expected) {
                let parameters = expected.object("parameters") ?? [:]
                #expect(parsed.parameters.count == parameters.count, "\(header)")
                for member in parameters {
                    #expect(parsed.parameters[member.name] == member.value.string, "\(header)")
                }
                #expect(parsed.token68 == expected.string("token68"), "\(header)")
            }
        }
    }

    @Test("Forms") func forms() throws {
        for one in try cases("encode", of: "form-urlencoding") {
            let encoded = FormEncoding.encode([
                (try #require(one.string("name")), try #require(one.string("value")))
            ])
            // More may be encoded than must be: what counts is what a server reads.
            let read = try FormParameters(decoding: encoded)
            #expect(read[try #require(one.string("name"))] == one.string("value"))
        }
        for one in try cases("decode", of: "form-urlencoding") {
            let form = try FormParameters(decoding: try #require(one.string("query")).utf8)
            let expected = try #require(one.object("params"))
            #expect(form.all.count == expected.count)
            for member in expected { #expect(form[member.name] == member.value.string) }
        }
    }

    @Test("PKCE") func pkce() throws {
        for one in try cases("s256", of: "pkce") {
            let verifier = try #require(one.string("verifier").flatMap(CodeVerifier.init))
            #expect(verifier.challenge.text == one.string("challenge"))
        }
        for one in try cases("reject", of: "pkce") {
            #expect(one.string("verifier").flatMap(CodeVerifier.init) == nil)
        }
    }

    @Test("Scopes") func scopes() throws {
        let object = try object("scope-tokens")
        for text in (object.array("allowed") ?? []).compactMap(\.string) {
            #expect(throws: Never.self) { try Scope(text) }
        }
        for text in (object.array("forbidden") ?? []).compactMap(\.string) {
            // A space separates tokens, and no text is no token.
            #expect((try? Scope("a\(text)b"))?.tokens != ["a\(text)b"] || text.isEmpty)
        }
    }

    @Test("Claims of ID Tokens") func claims() throws {
        let object = try object("id-token-claim-cases")
        let base = try #require(object.object("base"))
        let key = try FakeProvider.key.get()
        for one in try cases("cases", of: "id-token-claim-cases") where one["patch"] != nil {
            let expected = try #require(one.string("expect"))
            var claims = base
            for member in try #require(one.object("patch")) {
                claims[member.name] = member.value == .null ? nil : member.value
            }
            let context = one.object("context")
            var expectation = IDTokenExpectation(
                issuer: try Issuer("https://test.issuer"),
                clientID: "test_client_id",
                nonce: context?["nonce"] == .null ? .absentOr(nil) : .equal(SecretText("NONC3"))
            )
            expectation.maxAge = context?.int64("maxAge")
            // Another client as a trusted audience, where the case has one.
            expectation.trustedAudiences = ["AUDI3NCE2"]
            let isGood: Bool
            do {
                let jwt = try JWT(parsing: key.sign(claims: claims, type: .jwt))
                    .verified(by: [key.verificationKey], allowing: [.es256], types: [.jwt])
                _ = try VerifiedIDToken(
                    jwt,
                    meeting: expectation,
                    at: Date(timeIntervalSince1970: 1_700_000_000)
                )
                isGood = true
            } catch {
                isGood = false
            }
            #expect(isGood == expected.hasPrefix("ok"), "\(one.serialized()): \(expected)")
        }
    }

    @Test("Signed ID Tokens") func signed() throws {
        let object = try object("id-token-signed")
        for one in try cases("rfc", of: "id-token-signed") {
            let key = try VerificationKey(JWK(parsing: try #require(one.object("jwk"))))
            // Its payloads are no ID Tokens: whether the key can be read is looked at here, and the
            // signatures are in JOSEVectorTests.
            #expect(key.algorithm == key.jwk.algorithm)
        }
        let set = try JWKSet(try #require(object.object("jwks")))
        for one in try cases("cases", of: "id-token-signed") {
            let expected = try #require(one.string("expect"))
            let isGood: Bool
            do {
                let jwt = try JWT(parsing: try #require(one.string("token")))
                _ = try jwt.verified(
                    by: set.keys(fitting: jwt.header),
                    allowing: [.rs256, .es256, .edDSA],
                    types: [.jwt]
                )
                isGood = true
            } catch {
                isGood = false
            }
            #expect(isGood == expected.hasPrefix("valid"), "\(one.string("name") ?? "")")
        }
    }

    @Test("Token responses") func tokenResponses() throws {
        func response(_ json: JSONObject) -> TokenResponse? {
            try? TokenResponse(parsing: json.serialized())
        }
        for one in try cases("success", of: "token-responses") {
            let isGood = one.string("expect")?.hasPrefix("reject") == false
            #expect((response(try #require(one.object("json"))) != nil) == isGood)
        }
        for one in try cases("lenientNumbers", of: "token-responses") {
            var json = try #require(one.object("json"))
            json["access_token"] = "a"
            json["token_type"] = "Bearer"
            let seconds = response(json)?.expiresIn
            // A negative life is an unknown one.
            #expect(seconds == one.int64("seconds") || one.bool("error") == true)
        }
        for one in try cases("reject", of: "token-responses") {
            guard let json = one.object("json"), one["note"] == nil else { continue }
            #expect(response(json) == nil, "\(json.serialized())")
        }
    }

    @Test("Metadata") func metadata() async throws {
        for one in try cases("wellKnownURL", of: "discovery-cases") {
            let issuer = try Issuer(try #require(one.string("issuer")))
            #expect(issuer.openIDConfiguration?.text == one.string("oidc"))
            #expect(issuer.authorizationServerMetadata?.text == one.string("oauth2"))
        }
        for one in try cases("issuerURLRules", of: "discovery-cases") {
            #expect(throws: Issuer.Refusal.self) {
                try Issuer(try #require(one.string("issuer")))
            }
        }
        for one in try cases("response", of: "discovery-cases") where one.int64("status") == 200 {
            let issuer = try Issuer(one.string("requested") ?? "https://op.example.com")
            var body = Array((one.string("body") ?? "").utf8)
            if let file = one.string("file") {
                let folder = URL(filePath: try #require(casesFolder))
                body = Array(try Data(contentsOf: folder.appending(path: file)))
            }
            let isGood = (try? ProviderMetadata(parsing: body, of: issuer)) != nil
            #expect(isGood == one.string("expect")?.hasPrefix("ok"))
        }
    }
}

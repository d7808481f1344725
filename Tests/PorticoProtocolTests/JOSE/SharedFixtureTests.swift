import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// The same rules, on inputs that other projects' tests and servers gave.
@Suite("JOSE fixtures", .enabled(if: SharedFolder.exists, "needs ../shared"))
struct SharedFixtureTests {
    private func fixture(_ name: String) throws -> JSONObject {
        try JSONObject(parsing: SharedFolder.bytes("fixtures/client/\(name)"))
    }

    @Test("ID Tokens signed elsewhere verify or are refused as the fixture says")
    func idTokens() throws {
        let fixture = try fixture("id-token-signed.json")
        let expected: [String: Result<Void, JOSEError>] = [
            "valid": .success(()),
            "valid when EdDSA is allowed": .success(()),
            "valid; jku ignored": .success(()),
            "bad signature": .failure(.invalidSignature),
            "unsupported alg": .failure(.algorithmNotAllowed),
            "no key (after one refetch)": .failure(.unknownKey),
            "key type mismatch": .failure(.unknownKey),
            "no usable key": .failure(.unknownKey),
            "reject: modulus under 2048": .failure(.unknownKey),
            "malformed": .failure(.notBase64URL),
            "malformed or last wins - pin one": .failure(.invalidClaims),
        ]
        for setName in ["jwks", "jwksWithLeadingZeroModulus"] {
            let set = try JWKSet(try #require(fixture.object(setName)))
            for element in fixture.array("cases") ?? [] {
                let row = try #require(element.object)
                let name = row.string("name") ?? ""
                let token = try #require(row.string("token"))
                let outcome = try #require(expected[row.string("expect") ?? ""], "\(name)")
                let verified = Result { () throws(JOSEError) in
                    try JWT(parsing: token).verified(
                        by: set.keys,
                        allowing: Set(SignatureAlgorithm.allCases),
                        types: [.jwt]
                    )
                }
                // The second set has one key only.
                guard setName == "jwks" || name.hasPrefix("RS256 valid") else { continue }
                switch (outcome, verified) {
                case (.success, .success(let token)):
                    #expect(token.claims.string("sub") == "SUBJ3CT")
                case (.failure(let expected), .failure(let error)):
                    #expect(error == expected, "\(name)")
                default: Issue.record("\(name): \(verified)")
                }
            }
        }
    }

    @Test("RFC 7515 and 8037 tokens of the fixture verify")
    func vectors() throws {
        for element in try fixture("id-token-signed.json").array("rfc") ?? [] {
            let row = try #require(element.object)
            let key = try VerificationKey(JWK(parsing: try #require(row.object("jwk"))))
            let jws = try JWS(parsing: try #require(row.string("jws")).utf8)
            #expect(throws: Never.self) {
                try jws.signer(among: [key], allowing: Set(SignatureAlgorithm.allCases))
            }
        }
    }

    @Test("Thumbprints are those of the fixture")
    func thumbprints() throws {
        for element in try fixture("dpop-jwk.json").array("thumbprints") ?? [] {
            let row = try #require(element.object)
            let jwk = try JWK(parsing: try #require(row.object("jwk")))
            #expect(JWKThumbprint(jwk).text == row.string("sha256"))
        }
    }

    @Test("Hashes of access tokens are those of the fixture")
    func accessTokenHashes() throws {
        for element in try fixture("at-hash.json").array("cases") ?? [] {
            let row = try #require(element.object)
            guard let hash = row.string("at_hash") else { continue }
            let algorithm = try #require(SignatureAlgorithm(rawValue: row.string("alg") ?? ""))
            let computed = algorithm.leftHalfHash(of: row.string("accessToken") ?? "")
            #expect((computed == hash) == (row.string("expect") == "ok"))
        }
    }

    @Test("Key sets of real servers are read", arguments: ["okta-keys.json"])
    func realSets(name: String) throws {
        let set = try JWKSet(parsing: SharedFolder.bytes("fixtures/client/responses/\(name)"))
        #expect(!set.keys.isEmpty)
    }
}

import PorticoProtocol
import Testing

@testable import PorticoATProtocol

@Suite("Our own client's document") struct OwnClientDocumentTests {
    private func own(
        _ origin: String = "https://app.example.org",
        isConfidential: Bool = true
    ) throws -> OwnClientDocument? {
        OwnClientDocument(
            origin: origin,
            name: "Shop",
            scope: try Scope("atproto transition:generic"),
            isConfidential: isConfidential
        )
    }

    @Test("ATP-MD-2, ATP-MD-7: a confidential client names itself, its keys, and nothing secret")
    func confidential() throws {
        let own = try #require(try own())
        #expect(own.clientID == "https://app.example.org/oauth-client-metadata.json")
        #expect(own.redirectURI == "https://app.example.org/oauth/callback")
        #expect(own.isConfidential)
        let expected: JSONObject = [
            "client_id": .string(own.clientID), "client_name": "Shop",
            "client_uri": "https://app.example.org", "application_type": "web",
            "redirect_uris": ["https://app.example.org/oauth/callback"],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "scope": "atproto transition:generic", "dpop_bound_access_tokens": true,
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_signing_alg": "ES256",
            "jwks_uri": "https://app.example.org/oauth/jwks.json",
        ]
        #expect(own.json == expected)
    }

    @Test("ATP-MD-8: a public client has the method none, and no keys")
    func open() throws {
        let own = try #require(try own(isConfidential: false))
        #expect(!own.isConfidential)
        #expect(own.json.string("token_endpoint_auth_method") == "none")
        #expect(own.json["token_endpoint_auth_signing_alg"] == nil)
        #expect(own.json["jwks_uri"] == nil)
        #expect(own.json["jwks"] == nil)
    }

    @Test(
        "ATP-MD-3, ATP-MD-4, ATP-MD-5, ATP-MD-6, ATP-MD-9, ATP-MD-10: servers that read it strictly take it",
        arguments: [true, false]
    )
    func strict(isConfidential: Bool) throws {
        let own = try #require(try own(isConfidential: isConfidential))
        let document = try ClientDocument(
            parsing: own.json.serialized(),
            at: ClientIDAddress(own.clientID),
            scopes: .atProtocol
        )
        #expect(document.clientID == own.clientID)
        #expect(document.redirectURIs.map(\.text) == [own.redirectURI])
        #expect(document.scope == own.scope)
        #expect(document.refreshes)
        #expect(!document.isNative)
        #expect((document.authentication != .none) == isConfidential)
    }

    @Test(
        "ATP-LOC-4: on this machine it is the client for development, which comes back to 127.0.0.1",
        arguments: ["http://localhost:8080", "http://127.0.0.1:8080", "http://app.localhost:8080"]
    )
    func development(origin: String) throws {
        let own = try #require(try own(origin))
        #expect(
            own.clientID == "http://localhost?redirect_uri="
                + "http%3A%2F%2F127.0.0.1%3A8080%2Foauth%2Fcallback"
                + "&scope=atproto%20transition%3Ageneric"
        )
        #expect(own.redirectURI == "http://127.0.0.1:8080/oauth/callback")
        #expect(!own.isConfidential)
        #expect(own.json.string("token_endpoint_auth_method") == "none")
        let client = try LocalhostClient(own.clientID)
        #expect(client.document.redirectURIs.map(\.text) == [own.redirectURI])
        #expect(client.document.scope == own.scope)
    }

    @Test("ATP-LOC-4: at a literal it comes back to that one")
    func literals() throws {
        for literal in ["127.0.0.1", "[::1]"] {
            let own = try #require(try own("http://\(literal):8080"))
            #expect(own.redirectURI == "http://\(literal):8080/oauth/callback")
            let client = try LocalhostClient(own.clientID)
            #expect(client.document.redirectURIs.map(\.text) == [own.redirectURI])
        }
    }

    @Test(
        "ATP-C-ID-1: where servers would read no document, there is none",
        arguments: [
            "https://app.example.org:8443", "https://app.example.org:443", "https://localhost",
            "https://10.0.0.1", "https://app.internal", "https://app.test",
            "https://app.example.org/", "https://app.example.org/shop", "http://app.example.org",
            "app.example.org", "",
        ]
    )
    func impossible(origin: String) throws {
        #expect(try own(origin) == nil)
    }
}

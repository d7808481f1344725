import PorticoBytes
import Testing

@testable import PorticoProtocol

@Suite("A client's document") struct ClientDocumentTests {
    private static let url = "https://app.example.com/client.json"
    private static let key: JSONObject = [
        "kty": "EC", "crv": "P-256", "kid": "one", "alg": "ES256", "use": "sig",
        // The key of RFC 7517 appendix A.1.
        "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    ]

    private static let otherKey: JSONObject = [
        "kty": "EC", "crv": "P-256", "kid": "one", "alg": "ES256", "use": "sig",
        // The key of RFC 7515 appendix A.3.
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    ]

    /// A public web client.
    private static let web: JSONObject = [
        "client_id": .string(url), "redirect_uris": ["https://app.example.com/callback"],
        "scope": "atproto transition:generic", "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "application_type": "web", "dpop_bound_access_tokens": true, "client_name": "App",
        "client_uri": "https://app.example.com", "unknown": ["what", "ever"],
    ]

    private static let native: JSONObject = web.merging([
        "application_type": "native",
        "redirect_uris": ["com.example.app:/callback", "http://127.0.0.1/cb"],
    ])

    private static let confidential: JSONObject = web.merging([
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_signing_alg": "ES256", "jwks": ["keys": [.object(key)]],
    ])

    private func document(_ json: JSONObject) throws -> ClientDocument {
        try ClientDocument(
            parsing: json.serialized(),
            at: try ClientIDAddress(Self.url),
            scopes: .atProtocol
        )
    }

    private func refusal(_ json: JSONObject) -> ClientDocumentRefusal? {
        do {
            _ = try document(json)
            return nil
        } catch {
            return error as? ClientDocumentRefusal
        }
    }

    @Test("ATP-MD-11: a public client as its document describes it")
    func publicClient() throws {
        let document = try document(Self.web)
        #expect(document.clientID == Self.url)
        #expect(document.name == "App")
        #expect(document.clientURI == "https://app.example.com")
        #expect(document.redirectURIs.map(\.text) == ["https://app.example.com/callback"])
        #expect(document.scope.text == "atproto transition:generic")
        #expect(!document.isNative)
        #expect(document.refreshes)
        #expect(document.authentication == .none)
    }

    @Test("ATP-MD-11: what may be missing, and what may be there")
    func lenient() throws {
        let least = try document(
            Self.web.leavingOut(
                "grant_types",
                "response_types",
                "application_type",
                "client_name",
                "client_uri"
            )
        )
        #expect(!least.refreshes)
        #expect(!least.isNative)
        #expect(least.name == nil)
        for changes in [
            ["scope": "atproto openid"], ["jwks": ["keys": []]],
            ["jwks_uri": "https://app.example.com/jwks"],
            [
                "redirect_uris": [
                    "https://other.example.com/cb?x=y", "https://app.example.com:8443/",
                ]
            ],
            ["logo_uri": "https://cdn.example.com/logo.png", "tos_uri": "https://a.b/"],
        ] as [JSONObject] {
            #expect(refusal(Self.web.merging(changes)) == nil, "\(changes)")
        }
    }

    @Test("CIMD-4.1-1: client_id in the document is its address, byte for byte")
    func clientID() {
        for id in [
            nil, 7, "", "https://app.example.com/client.json/",
            "https://APP.example.com/client.json",
            "https://app.example.com/Client.json", "https://app.example.com:443/client.json",
            "https://other.example.com/client.json",
        ] as [JSONValue?] {
            #expect(refusal(Self.web.with("client_id", id)) == .clientID)
        }
    }

    @Test("CIMD-4.1-2: a document is one JSON object of at most 64 KiB")
    func json() throws {
        let address = try ClientIDAddress(Self.url)
        for text in [
            "", "[]", "null", "{", #"{"client_id":"\#(Self.url)","client_id":"\#(Self.url)"}"#,
            String(repeating: "[", count: 17), String(repeating: " ", count: 65_537),
            #"{"client_name":"\#(String(repeating: "é", count: 600))"}"#,
        ] {
            #expect(throws: ClientDocumentRefusal.notJSON, "\(text.prefix(40))") {
                try ClientDocument(
                    parsing: Array(text.utf8),
                    at: address,
                    scopes: .atProtocol
                )
            }
        }
        let bytes = Self.web.serialized()
        let padding = [UInt8](repeating: 0x20, count: 65_536 - bytes.count)
        #expect(
            try ClientDocument(parsing: bytes + padding, at: address, scopes: .atProtocol).name
                == "App"
        )
        #expect(throws: ClientDocumentRefusal.notJSON) {
            try ClientDocument(
                parsing: bytes + padding + [0x20],
                at: address,
                scopes: .atProtocol
            )
        }
    }

    @Test(
        "ATP-MD-11: each broken member is refused, with its own reason",
        arguments: [
            ("dpop_bound_access_tokens", nil, .dpop), ("dpop_bound_access_tokens", false, .dpop),
            ("dpop_bound_access_tokens", "true", .dpop), ("dpop_bound_access_tokens", 1, .dpop),
            ("scope", nil, .scope), ("scope", "", .scope), ("scope", "openid", .scope),
            ("scope", ["atproto"], .scope), ("scope", "atproto atproto", .scope),
            ("scope", "atproto  openid", .scope), ("scope", " atproto", .scope),
            ("scope", "atproto ", .scope), ("scope", "Atproto", .scope),
            ("scope", "atproto \"", .scope), ("scope", "atprotos", .scope),
            ("redirect_uris", nil, .redirectURIs), ("redirect_uris", [], .redirectURIs),
            ("redirect_uris", "https://app.example.com/cb", .redirectURIs),
            ("redirect_uris", ["https://app.example.com/cb", 7], .redirectURIs),
            ("application_type", "Web", .applicationType),
            ("application_type", 7, .applicationType),
            ("grant_types", [], .grantTypes), ("grant_types", ["refresh_token"], .grantTypes),
            ("grant_types", ["authorization_code", "password"], .grantTypes),
            ("grant_types", ["authorization_code", 7], .grantTypes),
            ("grant_types", "authorization_code", .grantTypes),
            ("response_types", [], .responseTypes), ("response_types", ["token"], .responseTypes),
            ("response_types", ["code", "token"], .responseTypes),
            ("response_types", "code", .responseTypes),
            ("token_endpoint_auth_method", nil, .method),
            ("token_endpoint_auth_method", "client_secret_basic", .method),
            ("token_endpoint_auth_method", "client_secret_post", .method),
            ("token_endpoint_auth_method", "client_secret_jwt", .method),
            ("token_endpoint_auth_method", "None", .method),
            ("token_endpoint_auth_method", 7, .method),
            ("token_endpoint_auth_signing_alg", "ES256", .algorithm),
            ("client_secret", "x", .secret), ("client_secret", .null, .secret),
            ("client_secret_expires_at", 0, .secret),
            ("id_token_signed_response_alg", "ES256", .idTokenAlgorithm),
            ("client_uri", "https://other.example.com", .clientURI),
            ("client_uri", "http://app.example.com", .clientURI),
            ("client_uri", "https://app.example.com:8443", .clientURI),
            ("client_uri", "http://localhost", .clientURI), ("client_uri", "x", .clientURI),
            ("client_uri", 7, .clientURI), ("logo_uri", "http://app.example.com/logo", .uri),
            ("logo_uri", 7, .uri), ("policy_uri", "javascript:alert(1)", .uri),
            ("tos_uri", "", .uri),
        ] as [(String, JSONValue?, ClientDocumentRefusal)]
    )
    func members(name: String, value: JSONValue?, refusal: ClientDocumentRefusal) {
        #expect(self.refusal(Self.web.with(name, value)) == refusal)
    }

    @Test("CIMD-4.1-3, CIMD-4.1-4: no shared secret, neither as a method nor in the document")
    func secrets() {
        for method in ["client_secret_basic", "client_secret_post", "client_secret_jwt"] {
            let json = Self.web.with("token_endpoint_auth_method", .string(method))
            #expect(refusal(json) == .method)
            #expect(refusal(json.with("client_secret", "x")) == .secret)
        }
    }

    @Test(
        "ATP-AR-9: redirect URIs fit the kind of the client, and a native one's its client_id",
        arguments: [
            ("web", "https://other.example.com/cb", true), ("web", "http://127.0.0.1/cb", false),
            ("web", "http://[::1]/cb", false), ("web", "com.example.app:/cb", false),
            ("web", "http://app.example.com/cb", false), ("web", "http://localhost/cb", false),
            ("web", "https://u:p@app.example.com/cb", false), ("web", "https://", false),
            ("web", "https://app.example.com/cb#f", false), ("web", "/cb", false),
            ("web", "https://app.example.com/*", false),
            ("web", "https://app.example.com/ü", false),
            ("web", "javascript:alert(1)", false), ("web", "HTTPS://app.example.com/cb", false),
            ("web", "https://a.example/" + String(repeating: "x", count: 1983), false),
            ("native", "https://app.example.com/cb", true),
            ("native", "https://app.example.com.evil.com/cb", false),
            ("native", "https://other.example.com/cb", false),
            ("native", "https://app.example.com:8443/cb", false),
            ("native", "https://app.example.com@evil.com/cb", false),
            ("native", "com.example.app:/callback", true), ("native", "com.example.app:/", true),
            ("native", "com.example.app://callback", false),
            ("native", "com.example.app:///callback", false),
            ("native", "com.example.app:callback", false), ("native", "com.evil.app:/cb", false),
            ("native", "com.example:/cb", false), ("native", "com.example.app.x:/cb", false),
            ("native", "Com.example.app:/cb", false), ("native", "myapp:/cb", false),
            ("native", "app.example.com:/cb", false), ("native", "http://127.0.0.1/cb", true),
            ("native", "http://127.0.0.1:8080/cb", true), ("native", "http://[::1]/cb", true),
            ("native", "http://localhost/cb", false), ("native", "http://127.0.0.2/cb", false),
            ("native", "http://app.example.com/cb", false),
        ]
    )
    func redirectURI(kind: String, uri: String, isAllowed: Bool) {
        let json = Self.web.merging([
            "application_type": .string(kind), "redirect_uris": [.string(uri)],
        ])
        #expect((refusal(json) == nil) == isAllowed)
        #expect(isAllowed || refusal(json) == .redirectURI)
        // One that is wrong among right ones is enough.
        let good: JSONValue = kind == "web" ? "https://app.example.com/" : "http://[::1]/"
        let both = json.with("redirect_uris", [good, .string(uri)])
        #expect((refusal(both) == nil) == isAllowed)
    }

    @Test("ATP-MD-11: 32 redirect URIs at most")
    func manyRedirects() {
        let uris = (0..<33).map { JSONValue.string("https://app.example.com/\($0)") }
        #expect(refusal(Self.web.with("redirect_uris", .array(Array(uris.dropLast())))) == nil)
        #expect(refusal(Self.web.with("redirect_uris", .array(uris))) == .redirectURIs)
    }

    @Test("ATP-MD-11: a confidential client has its keys in the document, or at one address")
    func confidentialClient() throws {
        guard
            case .privateKeyJWT(.es256, .inline(let set)) =
                try document(Self.confidential).authentication
        else {
            Issue.record("no keys")
            return
        }
        #expect(set.keys.map(\.keyID) == ["one"])
        let remote = Self.confidential.leavingOut("jwks")
            .with("jwks_uri", "https://keys.example.com/jwks?x")
        guard case .privateKeyJWT(.es256, .at(let address)) = try document(remote).authentication
        else {
            Issue.record("no address")
            return
        }
        #expect(address.text == "https://keys.example.com/jwks?x")
    }

    @Test(
        "ATP-MD-11: what a confidential client needs is refused where it is broken",
        arguments: [
            ("token_endpoint_auth_signing_alg", nil, .algorithm),
            ("token_endpoint_auth_signing_alg", "none", .algorithm),
            ("token_endpoint_auth_signing_alg", "HS256", .algorithm),
            ("token_endpoint_auth_signing_alg", "es256", .algorithm),
            ("token_endpoint_auth_signing_alg", 7, .algorithm),
            ("jwks", nil, .keys), ("jwks", [], .keys), ("jwks", ["keys": []], .keys),
            ("jwks", ["keys": "x"], .keys), ("jwks", "https://app.example.com/jwks", .keys),
            ("jwks_uri", "https://app.example.com/jwks", .keysAndAddress),
            ("application_type", "native", .method),
        ] as [(String, JSONValue?, ClientDocumentRefusal)]
    )
    func confidentialMembers(name: String, value: JSONValue?, refusal: ClientDocumentRefusal) {
        #expect(self.refusal(Self.confidential.with(name, value)) == refusal)
    }

    @Test("ATP-MD-11: a native client is a public one")
    func nativeSecret() throws {
        #expect(try document(Self.native).isNative)
        let json = Self.confidential.merging([
            "application_type": "native", "redirect_uris": ["com.example.app:/callback"],
        ])
        #expect(refusal(json) == .method)
    }

    @Test("ATP-MD-11: keys without a name, private ones and those for encryption do not count")
    func keys() throws {
        func refusal(_ keys: [JSONObject]) -> ClientDocumentRefusal? {
            let set: JSONValue = ["keys": .array(keys.map(JSONValue.object))]
            return self.refusal(Self.confidential.with("jwks", set))
        }
        #expect(refusal([Self.key]) == nil)
        let bad = [
            Self.key.leavingOut("kid"), Self.key.with("d", "AQAB"),
            Self.key.with("use", "enc"),
            Self.key.with("alg", "HS256"), Self.key.with("crv", "P-384"),
            ["kty": "oct", "k": "AA"],
            [:],
        ]
        for key in bad {
            #expect(refusal([key]) == .keys, "\(key)")
            #expect(refusal([key, Self.key]) == nil)
        }
        let many = (0..<17).map { Self.key.with("kid", .string("\($0)")) }
        #expect(refusal(Array(many.dropLast())) == nil)
        #expect(refusal(many) == .keys)
    }

    @Test(
        "CIMD-6.5-2: a key set stands at a public https address",
        arguments: [
            "http://app.example.com/jwks", "https://127.0.0.1/jwks", "https://[::1]/jwks",
            "https://169.254.169.254/jwks", "https://localhost/jwks", "https://app.local/jwks",
            "https://app.example.com:8443/jwks", "https://u@app.example.com/jwks",
            "https://APP.example.com/jwks", "jwks", "", "javascript:x", "https://app.test/jwks",
        ]
    )
    func keysAddress(uri: String) {
        let json = Self.confidential.leavingOut("jwks").with("jwks_uri", .string(uri))
        #expect(refusal(json) == .keysAddress)
        #expect(refusal(json.with("jwks_uri", 7)) == .keysAddress)
    }

    @Test("CIMD-6.3-1: the fingerprint changes with what a person agreed to, and with nothing else")
    func fingerprint() throws {
        func fingerprint(_ json: JSONObject) throws -> Hash256 { try document(json).fingerprint }
        let web = try fingerprint(Self.web)
        #expect(try fingerprint(Self.web.with("scope", "atproto")) == web)
        #expect(try fingerprint(Self.web.with("unknown", 7)) == web)
        #expect(try fingerprint(Self.web.with("logo_uri", "https://a.b/")) == web)
        #expect(try fingerprint(Self.web.with("client_name", "Other")) != web)
        #expect(try fingerprint(Self.web.leavingOut("client_name")) != web)
        #expect(try fingerprint(Self.web.leavingOut("client_uri")) != web)
        let one = Self.web.with("redirect_uris", ["https://a.b/1", "https://a.b/2"])
        let two = Self.web.with("redirect_uris", ["https://a.b/2", "https://a.b/1"])
        #expect(try fingerprint(one) == fingerprint(two))
        #expect(try fingerprint(one) != web)
        let inline = try fingerprint(Self.confidential)
        #expect(inline != web)
        // The same key by another name is the same key.
        let renamed = Self.confidential.with(
            "jwks",
            ["keys": [.object(Self.key.with("kid", "b"))]]
        )
        #expect(try fingerprint(renamed) == inline)
        let replaced = Self.confidential.with("jwks", ["keys": [.object(Self.otherKey)]])
        #expect(try fingerprint(replaced) != inline)
        let remote = Self.confidential.leavingOut("jwks").with("jwks_uri", "https://a.b/jwks")
        #expect(try fingerprint(remote) != inline)
        #expect(try fingerprint(remote.with("jwks_uri", "https://a.b/x")) != fingerprint(remote))
    }

    @Test(
        "CIMD-4.1-5: a redirect URI in a request is one of the document's, and a port in it counts"
    )
    func requested() throws {
        for (registered, requested, isAllowed) in [
            ("https://app.example.com/cb", "https://app.example.com/cb", true),
            ("https://app.example.com/cb", "https://app.example.com/cb/", false),
            ("https://app.example.com/cb", "https://app.example.com/cb?x", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:5555/cb", true),
            ("http://127.0.0.1/cb", "http://127.0.0.1/cb", true),
            ("http://127.0.0.1/cb", "http://[::1]:5555/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:5555/other", false),
            ("http://127.0.0.1:12599/cb", "http://127.0.0.1:12599/cb", true),
            ("http://127.0.0.1:12599/cb", "http://127.0.0.1:5555/cb", false),
            ("http://127.0.0.1:12599/cb", "http://127.0.0.1/cb", false),
            ("http://[::1]/cb", "http://[::1]:5555/cb", true),
            ("http://[::1]:12599/cb", "http://[::1]:5555/cb", false),
            ("http://127.0.0.1/cb", "http://localhost:5555/cb", false),
        ] {
            let found = RedirectURI(registered).permitsExactPort(RedirectURI(requested))
            #expect(found == isAllowed, "\(registered) \(requested)")
        }
    }
}

extension JSONObject {
    fileprivate func leavingOut(_ names: String...) -> JSONObject {
        names.reduce(self) { $0.with($1, nil) }
    }

    fileprivate func merging(_ changes: JSONObject) -> JSONObject {
        changes.reduce(self) { $0.with($1.name, $1.value) }
    }
}

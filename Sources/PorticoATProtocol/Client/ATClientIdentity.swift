import PorticoBytes
package import PorticoProtocol

/// As whom we ask a server: a client of ours, and how it proves that it is (AT Protocol, OAuth,
/// Confidential Client Authentication). A session keeps the one that it began with.
package struct ATClientIdentity: Sendable {
    package let clientID: String
    package let redirectURI: String
    /// ES256; `nil` of a public client.
    package let key: SigningKey?

    package init(clientID: String, redirectURI: String, key: SigningKey?) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.key = key
    }

    /// How far an assertion's `iat` lies back, and how long after it it ends, in seconds. Servers
    /// forgive no clock that is fast, not by one second.
    private static let back: Int64 = 10
    private static let life: Int64 = 60

    /// What every form begins with. An assertion is good once, so each request has its own (RFC
    /// 7523 §2.2, §3); its only audience is the issuer.
    func form(for issuer: ServerOrigin, at moment: Moment) throws(JOSEError)
        -> [(name: String, value: String)]
    {
        let form: [(name: String, value: String)] = [("client_id", clientID)]
        guard let key else { return form }
        let assertion = try key.sign(
            claims: [
                "iss": .string(clientID), "sub": .string(clientID), "aud": .string(issuer.text),
                "jti": .string(moment.random.text(16)),
                "iat": .integer(moment.seconds - Self.back),
                "exp": .integer(moment.seconds - Self.back + Self.life),
            ],
            type: .jwt
        )
        return form + [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", assertion),
        ]
    }
}

/// Our client at servers of the AT Protocol: its identifier, and the document that stands there (AT
/// Protocol, OAuth, Clients).
package struct OwnClientDocument: Sendable {
    package let clientID: String
    package let redirectURI: String
    /// All that may be asked for.
    package let scope: Scope
    /// Whether its keys, at ``keysPath``, prove who it is.
    package let isConfidential: Bool
    package let json: JSONObject

    package static let path = "/oauth-client-metadata.json"
    package static let keysPath = "/oauth/jwks.json"
    package static let callbackPath = "/oauth/callback"

    /// A client at a public address. One on this machine, over plain http, is the client for
    /// development, which is public and has no document of its own.
    ///
    /// - Parameters:
    ///   - origin: `https://app.example.com`, `http://localhost:8080`.
    ///   - name: What servers may show.
    ///   - scope: With `atproto`.
    /// - Returns: `nil` if servers read no document from there: https with a port, or not a public
    ///   name.
    package init?(
        origin: String,
        name: String?,
        scope: Scope,
        isConfidential: Bool,
        _ rules: IdentityRules = .production
    ) {
        guard let address = HTTPAddress(origin) else { return nil }
        let development = address.isThisMachine && !address.isSecure
        if development {
            let port = address.port == 80 ? "" : ":\(address.port)"
            // `localhost` is not among the redirects that servers take (RFC 8252 §8.3): a browser comes
            // back to the literal, and is led on to the origin.
            let literal = address.isLoopback ? address.host : "127.0.0.1"
            redirectURI = "http://\(literal)\(port)\(Self.callbackPath)"
            clientID = FormEncoding.appending(
                [("redirect_uri", redirectURI), ("scope", scope.text)],
                to: "http://localhost"
            )
        } else {
            do {
                let origin = try ServerOrigin(origin, rules)
                clientID = origin.text + Self.path
                redirectURI = origin.text + Self.callbackPath
            } catch {
                return nil
            }
        }
        self.scope = scope
        self.isConfidential = isConfidential && !development
        var json: JSONObject = [
            "client_id": .string(clientID),
            "application_type": development ? "native" : "web",
            "redirect_uris": [.string(redirectURI)],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": .string(scope.text),
            "dpop_bound_access_tokens": true,
            "token_endpoint_auth_method": .string(self.isConfidential ? "private_key_jwt" : "none"),
        ]
        if let name { json["client_name"] = .string(name) }
        if !development { json["client_uri"] = .string(origin) }
        if self.isConfidential {
            json["token_endpoint_auth_signing_alg"] = "ES256"
            json["jwks_uri"] = .string(origin + Self.keysPath)
        }
        self.json = json
    }
}

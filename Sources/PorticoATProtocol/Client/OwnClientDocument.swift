package import PorticoProtocol

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
            "token_endpoint_auth_method": .string(
                self.isConfidential ? "private_key_jwt" : "none"
            ),
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

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

package import PorticoBytes
import PorticoProtocol
import PorticoSystem

extension StandIns {
    /// An ID Token (OpenID Connect Core §2).
    ///
    /// - Parameter accessToken: For `at_hash`.
    package func idToken(
        for grant: StandInGrant,
        accessToken: String? = nil,
        _ moment: Moment
    ) throws -> String {
        let kind = grant.kind
        let base = issuer(of: kind)
        var claims = StandInClaims(grant: grant, base: base).idToken
        claims["iss"] = .string(base)
        claims["aud"] = .string(grant.client.clientID)
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        if let accessToken {
            claims["at_hash"] = .string(SignatureAlgorithm.rs256.leftHalfHash(of: accessToken))
        }
        if kind == .openID {
            claims["sid"] = .string(grant.sessionID)
            claims["auth_time"] = NumericDate.value(grant.authTime)
        }
        if kind == .facebook { claims["jti"] = .string(moment.random.text(16)) }
        claims["iat"] = NumericDate.value(moment.now)
        // Apple's live a day, the others' an hour.
        claims["exp"] = NumericDate.value(moment.now + (kind == .apple ? 86_400 : 3600))
        return try key(of: kind).sign(claims: claims, type: .jwt)
    }
}

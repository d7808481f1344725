import Crypto
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// Signs a stand-in's tokens, correctly or with the configured faults.
struct StandInTokenSigner {
    let standIns: StandIns
    let kind: StandInKind
    let faults: [StandInFaults.IDTokenFault]

    /// An ID Token (OpenID Connect Core §2), or `nil` if a fault omits it.
    ///
    /// - Parameters:
    ///   - accessToken: For `at_hash`.
    ///   - code: For `c_hash`, in a token that comes with the code.
    func idToken(
        for grant: StandInGrant,
        accessToken: String? = nil,
        code: String? = nil,
        at now: Date
    ) throws -> String? {
        var claims: JSONObject = [
            "iss": .string(standIns.issuer(of: kind)), "aud": .string(grant.client.clientID),
        ]
        let own = StandInClaims(
            grant: grant,
            base: standIns.issuer(of: kind),
            writesBooleans: standIns.faults(of: kind).writesBooleans
        ).idToken
        for (name, value) in own { claims[name] = value }
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        if let accessToken {
            claims["at_hash"] = .string(SignatureAlgorithm.rs256.leftHalfHash(of: accessToken))
        }
        if let code { claims["c_hash"] = .string(SignatureAlgorithm.rs256.leftHalfHash(of: code)) }
        if kind == .openID {
            claims["sid"] = .string(grant.sessionID)
            claims["auth_time"] = NumericDate.value(grant.authTime)
        }
        if kind == .facebook {
            claims["jti"] = .string(standIns.clock.moment().random.text(16))
        }
        claims["iat"] = NumericDate.value(now)
        // Apple's live a day, the others' an hour.
        claims["exp"] = NumericDate.value(now + (kind == .apple ? 86_400 : 3600))
        return try sign(claims, .jwt, at: now)
    }

    /// - Returns: `nil` if a fault omits the token.
    func sign(_ claims: JSONObject, _ type: JWTType, at now: Date) throws -> String? {
        var claims = claims
        for fault in faults {
            switch fault {
            case .absent: return nil
            case .claim(let name, let value): claims[name] = value
            case .expired:
                claims["iat"] = NumericDate.value(now - 7200)
                claims["exp"] = NumericDate.value(now - 3600)
            case .unsigned, .symmetric, .unpublishedKey, .forged: break
            }
        }
        guard let key = try standIns.keys(of: kind).last else { return nil }
        for fault in faults {
            switch fault {
            case .unsigned: return Self.handmade(claims, "none", key.keyID) { _ in [] }
            case .symmetric: return Self.symmetric(claims, key)
            case .unpublishedKey: return try newKey(nil).sign(claims: claims, type: type)
            case .forged: return try newKey(key.keyID).sign(claims: claims, type: type)
            case .absent, .claim, .expired: break
            }
        }
        return try key.sign(claims: claims, type: type)
    }

    private func newKey(_ keyID: String?) throws -> SigningKey {
        try SigningKey(
            generating: .rs256,
            keyID: keyID,
            random: standIns.clock.moment().random
        )
    }

    /// HS256 with the public data of the key set as the secret.
    private static func symmetric(_ claims: JSONObject, _ key: SigningKey) -> String {
        guard case .rsa(let modulus, _) = key.verificationKey.jwk.parameters else {
            return handmade(claims, "HS256", key.keyID) { _ in [] }
        }
        return handmade(claims, "HS256", key.keyID) { input in
            Array(
                HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: modulus))
            )
        }
    }

    /// A token that a ``SigningKey`` would never make.
    private static func handmade(
        _ claims: JSONObject,
        _ algorithm: String,
        _ keyID: String,
        _ signature: ([UInt8]) -> [UInt8]
    ) -> String {
        let header: JSONObject = [
            "alg": .string(algorithm), "kid": .string(keyID), "typ": "JWT",
        ]
        let input =
            Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        return input + "." + Base64URL.encode(signature(Array(input.utf8)))
    }
}

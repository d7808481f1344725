import Crypto
import PorticoBytes
import PorticoProtocol

extension SigningKey {
    /// Signs as the faults want it.
    func sign(
        _ claims: JSONObject,
        _ type: JWTType,
        with faults: [StandInFaults.IDTokenFault]
    ) throws -> String {
        var claims = claims
        for case .claim(let name, let value) in faults { claims[name] = value }
        for fault in faults {
            switch fault {
            case .claim: break
            case .unsigned: return handmade(claims, "none") { _ in [] }
            case .symmetric:
                // With what the key set says of the key as the secret.
                guard case .rsa(let modulus, _) = verificationKey.jwk.parameters else { break }
                return handmade(claims, "HS256") { input in
                    Array(
                        HMAC<SHA256>.authenticationCode(
                            for: input,
                            using: SymmetricKey(data: modulus)
                        )
                    )
                }
            case .unpublishedKey:
                return try SigningKey(generating: .rs256, random: .system)
                    .sign(claims: claims, type: type)
            case .forged:
                return try SigningKey(generating: .rs256, keyID: keyID, random: .system)
                    .sign(claims: claims, type: type)
            }
        }
        return try sign(claims: claims, type: type)
    }

    /// A token that no ``SigningKey`` makes.
    private func handmade(
        _ claims: JSONObject,
        _ algorithm: String,
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

import Crypto
import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoTestSupport

/// A proof that is wrong in one way (attack G13), signed as it should be.
enum WrongProof: String, CaseIterable {
    case method, path, type, algorithm, unsigned, privateKey, past, future, query, otherHost
    case unexpectedHash, noID, longID, oldNonce, noNonce

    /// What the token endpoint says.
    var error: String {
        self == .oldNonce || self == .noNonce ? "use_dpop_nonce" : "invalid_dpop_proof"
    }

    /// - Parameters:
    ///   - nonce: A good one.
    ///   - token: The access token that it goes with, if any.
    func text(
        for endpoint: String,
        _ method: String,
        of server: ProviderUnderTest,
        nonce: String,
        token: String? = nil
    ) throws -> String {
        let key = P256.Signing.PrivateKey()
        let point = Array(key.publicKey.rawRepresentation)
        var jwk: JSONObject = [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point.prefix(32))),
            "y": .string(Base64URL.encode(point.suffix(32))),
        ]
        let now = server.clock.seconds
        let address = TestRealm.issuer + "/protocol/openid-connect/" + endpoint
        var claims: JSONObject = [
            "jti": .string(RandomSource.system.text(16)), "htm": .string(method),
            "htu": .string(address), "iat": .integer(now), "nonce": .string(nonce),
        ]
        if let token {
            claims["ath"] = .string(Base64URL.encode(Hash256(of: token).bytes))
        }
        var header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256"]
        switch self {
        case .method: claims["htm"] = .string(method.lowercased())
        case .path: claims["htu"] = .string(address + "/")
        case .type: header["typ"] = "JWT"
        case .algorithm: header["alg"] = "HS256"
        case .unsigned: break
        case .privateKey: jwk["d"] = .string(Base64URL.encode(Array(key.rawRepresentation)))
        case .past: claims["iat"] = .integer(now - 600)
        case .future: claims["iat"] = .integer(now + 600)
        case .query:
            claims["htu"] = .string(TestRealm.issuer + "/protocol/?openid-connect/" + endpoint)
        case .otherHost: claims["htu"] = .string("http://10.0.0.1:8080/token")
        case .unexpectedHash: claims["ath"] = .string(Base64URL.encode(point.prefix(32)))
        case .noID: claims["jti"] = nil
        case .longID: claims["jti"] = .string(String(repeating: "j", count: 10_000))
        case .oldNonce:
            let keys = [server.ring.derivedKey(purpose: "dpop nonce")].compactMap(\.self)
            claims["nonce"] = DPoPNonces(keys: keys).current(at: now - 360).map(JSONValue.string)
        case .noNonce: claims["nonce"] = nil
        }
        header["jwk"] = .object(jwk)
        let input =
            Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        let signature = Array(try key.signature(for: Data(input.utf8)).rawRepresentation)
        let shown = self == .unsigned ? Array(repeating: 0, count: 64) : signature
        return input + "." + Base64URL.encode(shown)
    }
}

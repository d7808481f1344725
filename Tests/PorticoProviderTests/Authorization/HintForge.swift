import PorticoBytes
import PorticoProtocol
import PorticoTestSupport

/// ID Tokens that look like one of ours and are not (attack B23, attack E30).
struct HintForge {
    /// Each differs from a good one by one thing.
    let all: [String]

    init(_ token: String) throws {
        let jwt = try JWT(parsing: token)
        let claims = try jwt.uncheckedClaims()
        let other = try SigningKey(generating: .es256, keyID: jwt.header.keyID, random: .system)
        var issuer = claims
        issuer["iss"] = "https://evil.example/realms/test"
        let parts = token.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        var changed = claims
        changed["sub"] = "somebody-else"
        let payload = Base64URL.encode(changed.serialized())
        all = [
            try other.sign(claims: claims, type: .jwt),
            try other.sign(claims: issuer, type: .jwt),
            try TestRealm.clientKey.sign(claims: claims, type: .jwt),
            "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(payload).\(parts[2])", "\(parts[0]).\(parts[1]).",
            "\(parts[0]).\(parts[1])", token + "A", " " + token,
        ]
    }
}

import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

/// A realm file of a Keycloak server with its key set and tokens, in a folder outside the
/// repository: `TEST_KEYCLOAK_FIXTURES=FOLDER swift test --filter KeycloakKeyTests`. Tests of this
/// repository have keys of their own.
private let folder = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite(
    "Keys of a real realm file",
    .enabled(if: folder != nil, "files from outside, to be looked at by hand")
)
struct KeycloakKeyTests {
    private func object(_ file: String) throws -> JSONObject {
        let url = URL(filePath: try #require(folder)).appending(path: file)
        return try JSONObject(
            parsing: Array(try Data(contentsOf: url)),
            limits: JSONLimits(size: 1 << 24)
        )
    }

    /// The settings of each key in a realm file, one value a name.
    private func components(_ realm: String) throws -> [[String: String]] {
        let components = try object("\(realm)-realm.json").object("components")
        let keys = try #require(components?.array("org.keycloak.keys.KeyProvider"))
        return keys.compactMap { $0.object?.object("config") }.map { config in
            Dictionary(
                uniqueKeysWithValues: config.compactMap { name, value in
                    value.strings?.first.map { (name, $0) }
                }
            )
        }
    }

    @Test("Every published key comes out of a component, with its name, halves and certificate")
    func keys() throws {
        var keys: [String: (ForeignPublicKey, Certificate?)] = [:]
        for config in try components("full") {
            let text =
                config["privateKey"] ?? config["ecdsaPrivateKey"] ?? config["eddsaPrivateKey"]
            guard let text else { continue }
            let key = try ForeignPrivateKey(text)
            let certificate = try config["certificate"].map { try Certificate($0) }
            let publicKey =
                try certificate?.publicKey
                ?? ForeignPublicKey(
                    try #require(config["ecdsaPublicKey"] ?? config["eddsaPublicKey"])
                )
            try key.check(publicKey)
            keys[key.publicKey.keyID] = (publicKey, certificate)
            if let algorithm = SignatureAlgorithm(wire: config["algorithm"] ?? "RS256"),
                config["privateKey"] != nil
            {
                _ = try key.signingKey(algorithm)
            }
        }
        #expect(keys.count == 9)
        let published = try #require(try object("tokens/full/jwks.json").array("keys"))
        #expect(published.count == 8)
        for jwk in published.compactMap(\.object) {
            let (publicKey, certificate) = try #require(keys[jwk.string("kid") ?? ""])
            for (name, value) in publicKey.jwkMembers {
                #expect(jwk[name] == value, "\(name)")
            }
            #expect(jwk.strings("x5c") == certificate.map { [$0.x5c] })
            #expect(jwk.string("x5t") == certificate?.sha1Thumbprint)
            #expect(jwk.string("x5t#S256") == certificate?.sha256Thumbprint)
        }
    }

    @Test("Every refresh token of a sign-in verifies with a secret of its realm file, and only so")
    func refreshTokens() throws {
        var count = 0
        for (tokens, realm) in [
            ("article", "article"), ("article-127.0.0.1", "article"), ("full", "full"),
        ] {
            var keys: [HMACKey] = []
            for config in try components(realm) {
                guard let algorithm = HMACAlgorithm(wire: config["algorithm"] ?? "") else {
                    continue
                }
                let secret = try #require(Base64URL.decode(config["secret"] ?? ""))
                keys.append(try HMACKey(algorithm, secret: secret, keyID: config["kid"]))
            }
            let path = URL(filePath: try #require(folder)).appending(path: "tokens/\(tokens)").path
            for file in try FileManager.default.contentsOfDirectory(atPath: path) {
                let sheet = try object("tokens/\(tokens)/\(file)")
                guard let text = sheet.object("tokens")?.string("refresh_token") else { continue }
                let token = try HMACToken(parsing: text.utf8)
                let claims = keys.compactMap { key in
                    // `try?`: a key that did not make it is one of the others.
                    try? token.claims(verifiedBy: key)
                }
                #expect(claims.count == 1, "\(file)")
                #expect(["Refresh", "Offline"].contains(claims.first?.string("typ")))
                count += 1
            }
        }
        #expect(count == 23)
    }
}

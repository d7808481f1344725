@testable import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoProvider

/// Credentials with the salt of the bytes 0 to 15, of the password "correct horse".
@Suite("Keycloak's password hashes")
struct KeycloakHashTests {
    private static let salt = "AAECAwQFBgcICQoLDA0ODw=="
    private static let sha256 = "yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ="

    private static func secret(_ value: String) -> String {
        #"{"value":"\#(value)","salt":"\#(salt)","additionalParameters":{}}"#
    }

    private static func data(_ algorithm: String, _ parameters: String = "") -> String {
        #"{"hashIterations":1000,"algorithm":"\#(algorithm)","additionalParameters":{\#(parameters)}}"#
    }

    private static let argon2 =
        #"{"hashIterations":3,"algorithm":"argon2","additionalParameters":{"hashLength":["24"],"#
        + #""memory":["256"],"type":["id"],"version":["1.3"],"parallelism":["2"]}}"#

    private static let made: [(String, String)] = [
        (
            secret(
                "ndhWw3a4srcTtr4HQFTLiKRlVuARheqNDSZ/M5xlIWnV8dW5o4FxWW4SX6V6pwPMFQrFliwwmyqHNSBeApSZPA=="
            ), data("pbkdf2")
        ),
        (secret(sha256), data("pbkdf2-sha256")),
        (
            secret(
                "yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQVykgYqFUkGDPSqmamlmDo91gX1JZ69LgWiJuFkmT+UQ=="
            ), data("pbkdf2-sha256")
        ),
        (
            secret(
                "Xpx07WjVx4vCIvrmBRj8uOoVVtGqJqtUv2J5bhizSQs7osCteF7W4A61dZDqSIqQjO+dxO6p5FT/Uy7QRBXSXA=="
            ), data("pbkdf2-sha512")
        ),
        (secret("hkz52nnMyWjyPF6UsUYlQLFvpIrSLJSy"), argon2),
        (
            secret("ReNd3wijz0h/tu+OeIAnti/q794fEThh"),
            argon2.replacing(#"["id"]"#, with: #"["d"]"#).replacing("1.3", with: "1.0")
        ),
        (secret("TXMDy0EJUoy6PmRL8uyKgjSqcT+y1z3A"), argon2.replacing(#"["id"]"#, with: #"["i"]"#)),
    ]

    @Test("KC-M-1: a credential's hash verifies its password, and comes out as it came in")
    func roundTrip() throws {
        for (secretData, credentialData) in Self.made {
            let hash = try KeycloakHash.hash(secretData: secretData, credentialData: credentialData)
            #expect(StoredHash.verify(Array("correct horse".utf8), against: hash))
            #expect(!StoredHash.verify(Array("correct horsf".utf8), against: hash))
            let texts = try #require(KeycloakHash.texts(of: hash))
            #expect(texts.secretData == secretData)
            #expect(texts.credentialData == credentialData)
        }
    }

    @Test("KC-M-1: our own hashes are exported in a form that is read again")
    func ours() throws {
        let hash = try Argon2id.hash(Array("correct horse".utf8), random: .system)
        let texts = try #require(KeycloakHash.texts(of: hash))
        let again = try KeycloakHash.hash(
            secretData: texts.secretData,
            credentialData: texts.credentialData
        )
        #expect(again == hash)
        let data = try JSONObject(parsing: texts.credentialData.utf8)
        #expect(data.object("additionalParameters")?.strings("memory") == ["19456"])
        #expect(KeycloakHash.texts(of: PasswordHash(encoded: "$2a$10$abc")) == nil)
    }

    @Test("KC-M-1: the old form, and texts without additionalParameters, are read")
    func oldForms() throws {
        let old: JSONObject = [
            "type": "password", "hashedSaltedValue": .string(Self.sha256),
            "salt": .string(Self.salt), "hashIterations": 1000, "algorithm": "pbkdf2-sha256",
        ]
        let new: JSONObject = [
            "type": "password",
            "secretData": .string(#"{"value":"\#(Self.sha256)","salt":"\#(Self.salt)"}"#),
            "credentialData": #"{"hashIterations":1000,"algorithm":"pbkdf2-sha256"}"#,
        ]
        for credential in [old, new] {
            let hash = try #require(try KeycloakHash.hash(of: credential))
            #expect(StoredHash.verify(Array("correct horse".utf8), against: hash))
        }
        #expect(try KeycloakHash.hash(of: ["type": "password", "value": "plain"]) == nil)
        let named = Self.argon2.replacing("additionalParameters", with: "algorithmData")
        let hash = try KeycloakHash.hash(
            secretData: Self.secret("hkz52nnMyWjyPF6UsUYlQLFvpIrSLJSy"),
            credentialData: named
        )
        #expect(StoredHash.verify(Array("correct horse".utf8), against: hash))
    }

    private static let refused: [(String, String, String, KeycloakHashError.Reason)] = {
        let good = secret(sha256)
        let short = secret("hkz52nnMyWjyPF6UsUYlQLFvpIrSLJSy")
        let pbkdf2 = data("pbkdf2-sha256")
        func argon2(_ old: String, _ new: String) -> String {
            Self.argon2.replacing(old, with: new)
        }
        let path = "credentialData.additionalParameters."
        return [
            ("", pbkdf2, "secretData", .unreadable),
            ("[]", pbkdf2, "secretData", .unreadable),
            (good, "{", "credentialData", .unreadable),
            (good, "null", "credentialData", .unreadable),
            (#"{"salt":"\#(salt)"}"#, pbkdf2, "secretData.value", .unreadable),
            (#"{"value":"\#(sha256)","salt":7}"#, pbkdf2, "secretData.salt", .unreadable),
            (secret(sha256 + "="), pbkdf2, "secretData.value", .unreadable),
            (secret("AAAA"), pbkdf2, "secretData.value", .outOfBounds),
            (secret(""), pbkdf2, "secretData.value", .outOfBounds),
            (#"{"value":"\#(sha256)","salt":""}"#, pbkdf2, "secretData.salt", .outOfBounds),
            (good, data("bcrypt"), "credentialData.algorithm", .unknown),
            (good, data("PBKDF2"), "credentialData.algorithm", .unknown),
            (good, #"{"hashIterations":1}"#, "credentialData.algorithm", .unreadable),
            (
                good, #"{"algorithm":"pbkdf2","hashIterations":"1"}"#,
                "credentialData.hashIterations", .unreadable
            ),
            (good, #"{"algorithm":"pbkdf2"}"#, "credentialData.hashIterations", .unreadable),
        ]
            + ["0", "-1", "10000001", "4294967296", "9223372036854775807"].map {
                (
                    good, #"{"algorithm":"pbkdf2-sha256","hashIterations":\#($0)}"#,
                    "credentialData.hashIterations", .outOfBounds
                )
            }
            + [
                (short, argon2("256", "262145"), path + "memory", .outOfBounds),
                (short, argon2("256", "4"), path + "memory", .outOfBounds),
                (short, argon2("256", "99999999999"), path + "memory", .unreadable),
                (short, argon2(#"["256"]"#, "[]"), path + "memory", .unreadable),
                (short, argon2(#"["2"]"#, #"["17"]"#), path + "parallelism", .outOfBounds),
                (short, argon2(#"["2"]"#, #"["0"]"#), path + "parallelism", .outOfBounds),
                (short, argon2(":3,", ":99999,"), "credentialData.hashIterations", .outOfBounds),
                (short, argon2(#""id""#, #""x""#), path + "type", .unknown),
                (short, argon2("1.3", "1.4"), path + "version", .unknown),
                (short, argon2(#"["24"]"#, #"["32"]"#), path + "hashLength", .doesNotFit),
                (short, data("argon2"), path + "type", .unreadable),
            ]
    }()

    @Test("KC-M-1: a hash that is broken or costs absurdly much is refused by its field")
    func refusals() {
        for (secretData, credentialData, field, reason) in Self.refused {
            let expected = KeycloakHashError(field, reason)
            #expect(throws: expected, "\(secretData) \(credentialData)") {
                try KeycloakHash.hash(secretData: secretData, credentialData: credentialData)
            }
        }
        #expect(throws: KeycloakHashError("secretData", .unreadable)) {
            try KeycloakHash.hash(of: ["credentialData": .string(Self.data("pbkdf2"))])
        }
        #expect(throws: KeycloakHashError("credentialData", .unreadable)) {
            try KeycloakHash.hash(of: ["secretData": .string(Self.secret(Self.sha256))])
        }
        #expect(throws: KeycloakHashError("algorithm", .unreadable)) {
            try KeycloakHash.hash(of: ["hashedSaltedValue": "AAAA", "salt": "AAAA"])
        }
    }

    @Test("No error about a hash says anything of the hash")
    func errors() {
        for (secretData, credentialData, _, _) in Self.refused where secretData.count > 20 {
            do {
                _ = try KeycloakHash.hash(secretData: secretData, credentialData: credentialData)
                Issue.record("It was taken.")
            } catch {
                #expect(!"\(error)".contains(Self.sha256.prefix(8)))
                #expect(!"\(error)".contains(Self.salt.prefix(8)))
            }
        }
    }
}

import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: what people prove themselves with") struct ImportedCredentialTests {
    // The bytes 0 to 15, and what 1,000 rounds make of "correct horse" with them.
    private static let salt = "AAECAwQFBgcICQoLDA0ODw=="
    private static let value = "yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ="

    /// Credentials in the form of today.
    private static func hashed(_ credentialData: String) -> JSONObject {
        [
            "type": "password", "secretData": .string(#"{"value":"\#(value)","salt":"\#(salt)"}"#),
            "credentialData": .string(credentialData),
        ]
    }

    private static func text(_ object: JSONObject) -> String {
        String(decoding: object.serialized(), as: UTF8.self)
    }

    /// A person for each.
    private static func people(_ credentials: [JSONObject], ring: KeyRing? = nil) async throws
        -> [ImportedPerson]
    {
        try await ImportSample.people(
            credentials.map { #""enabled": true, "credentials": [\#(text($0))]"# },
            ring: ring
        )
    }

    @Test("KC-M-1: a hashed password is taken over as it is, in the form of today or the old one")
    func hashes() async throws {
        let people = try await Self.people([
            Self.hashed(#"{"hashIterations":1000,"algorithm":"pbkdf2-sha256"}"#),
            [
                "type": "password", "hashedSaltedValue": .string(Self.value),
                "salt": .string(Self.salt), "hashIterations": 1000, "algorithm": "pbkdf2-sha256",
            ],
        ])
        for imported in people {
            let hash = try #require(imported.new?.password)
            #expect(hash.encoded.hasPrefix("$pbkdf2-sha256$i=1000,l=32$"))
            #expect(StoredHash.verify(Array("correct horse".utf8), against: hash))
            #expect(!StoredHash.verify(Array("correct horsf".utf8), against: hash))
            #expect(imported.says(.read, "with a password"))
            #expect(!imported.says(.skipped, ""))
        }
    }

    @Test("WEB-BRUTE-1: a hash that is broken or costs absurdly much is left out, its person stays")
    func hostile() async throws {
        func argon2(_ memory: String) -> String {
            #"{"hashIterations":3,"algorithm":"argon2","additionalParameters":{"memory":["#
                + #""\#(memory)"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}"#
        }
        let large = String(repeating: "A", count: 8192)
        let cases: [(JSONObject, String)] = [
            (
                Self.hashed(#"{"hashIterations":10000001,"algorithm":"pbkdf2-sha256"}"#),
                "credentialData.hashIterations"
            ),
            (
                Self.hashed(#"{"hashIterations":0,"algorithm":"pbkdf2-sha256"}"#),
                "credentialData.hashIterations"
            ),
            (
                Self.hashed(argon2("4294967295")),
                "credentialData.additionalParameters.memory"
            ),
            (
                Self.hashed(argon2("99999999999999999999")),
                "credentialData.additionalParameters.memory"
            ),
            (Self.hashed(#"{"hashIterations":1,"algorithm":"md5"}"#), "credentialData.algorithm"),
            (Self.hashed("["), "credentialData"), (Self.hashed(large), "credentialData"),
            (["secretData": "{", "credentialData": "{}"], "secretData"),
            (["secretData": 7, "credentialData": "{}"], "secretData"),
            (["secretData": "{}"], "credentialData"),
            (
                [
                    "hashedSaltedValue": .string(Self.value), "salt": .string(Self.salt),
                    "hashIterations": .integer(.max), "algorithm": "pbkdf2",
                ],
                "hashIterations"
            ),
            (
                [
                    "hashedSaltedValue": .string(large), "salt": .string(Self.salt),
                    "hashIterations": 1000, "algorithm": "pbkdf2",
                ],
                "hashedSaltedValue"
            ),
        ]
        for (imported, (_, field)) in zip(try await Self.people(cases.map(\.0)), cases) {
            let new = try #require(imported.new)
            #expect(new.password == nil && new.person.isEnabled, "\(field)")
            #expect(imported.says(.skipped, "its password: \(field): "), "\(imported.lines)")
            #expect(imported.says(.read, "without a password"), "\(field)")
            let words = imported.lines.map(\.words).joined()
            for secret in [Self.value, Self.salt, large] { #expect(!words.contains(secret)) }
        }
    }

    @Test("Second factors are kept, each sealed for itself, and told of")
    func secondFactors() async throws {
        let ring = try KeyRing(random: .system)
        let kinds: [(type: String, data: String?, kind: Credential.Kind)] = [
            ("otp", #"{"subType":"totp","digits":8,"period":60}"#, .totp), ("otp", "{}", .totp),
            ("otp", nil, .totp), ("otp", #"{"subType":"hotp","counter":7}"#, .other),
            ("recovery-authn-codes", #"{"totalCodes":12}"#, .recoveryCodes),
            ("webauthn", #"{"counter":1}"#, .other), ("webauthn-passwordless", "{}", .other),
        ]
        let credentials: [JSONObject] = kinds.enumerated().map { index, one in
            var credential: JSONObject = [
                "id": .string("00000000-0000-4000-8000-00000000000\(index)"),
                "type": .string(one.type), "userLabel": "my\u{1b} phone",
                "createdDate": 1_585_000_000_123,
                "secretData": .string(#"{"value":"s3cret-\#(index)"}"#),
            ]
            credential["credentialData"] = one.data.map(JSONValue.string)
            return credential
        }
        let seal = CredentialSeal(ring: ring)
        let people = try await Self.people(credentials, ring: ring)
        for (index, (imported, one)) in zip(people, kinds).enumerated() {
            let new = try #require(imported.new)
            let kept = try #require(new.credentials.first)
            #expect(new.credentials.count == 1 && new.password == nil)
            #expect(kept.id == "00000000-0000-4000-8000-00000000000\(index)")
            #expect(kept.personID == new.person.id && kept.kind == one.kind, "\(one)")
            #expect(kept.label == #"my\u{1b} phone"# && kept.createdAt == 1_585_000_000_123)
            #expect(kept.parameters.string("type") == one.type)
            #expect(kept.used == 0)
            let secret = try seal.open(kept.sealedSecret, of: kept.id)
            #expect(secret.reveal() == #"{"value":"s3cret-\#(index)"}"#)
            #expect(throws: (any Error).self) {
                try seal.open(kept.sealedSecret, of: UniqueID(random: .system).text)
            }
            #expect(imported.lines.contains { $0.words.contains("a second factor (\(one.type))") })
            #expect(!"\(imported.lines)\(kept)".contains("s3cret"))
        }
        #expect(people[0].new?.credentials.first?.parameters.int64("digits") == 8)
    }

    @Test("Several second factors stay in the file's order; an id that is none is replaced")
    func order() async throws {
        let people = try await ImportSample.people([
            #"""
            "credentials": [
                {"type": "otp", "id": "one", "secretData": "{}", "userLabel": "first"},
                {"type": "password", "value": "a long enough password"},
                {"type": "otp", "secretData": "{}", "userLabel": "second"}
            ]
            """#
        ])
        let new = try #require(people[0].new)
        #expect(new.password != nil)
        #expect(new.credentials.map(\.label) == ["first", "second"])
        #expect(new.credentials.map(\.priority) == [0, 1])
        #expect(new.credentials.allSatisfy { UniqueID($0.id) != nil })
        #expect(Set(new.credentials.map(\.id)).count == 2)
    }

    @Test("KC-M-1: a one-time password in the form from before Keycloak 8 is that of today")
    func oldForm() async throws {
        let ring = try KeyRing(random: .system)
        let old: JSONObject = [
            "hashedSaltedValue": "abcdefghijklmnop", "algorithm": "HmacSHA256", "digits": 8,
            "period": "60", "counter": 0, "createdDate": 5,
        ]
        let types = [("otp", "totp"), ("totp", "totp"), ("hotp", "hotp")]
        let credentials = types.map { type, _ in
            var credential = old
            credential["type"] = .string(type)
            return credential
        }
        let people = try await Self.people(credentials, ring: ring)
        for (imported, (type, subType)) in zip(people, types) {
            let kept = try #require(imported.new?.credentials.first)
            #expect(kept.kind == (subType == "totp" ? .totp : .other), "\(type)")
            #expect(kept.parameters.string("type") == "otp")
            #expect(kept.parameters.string("subType") == subType)
            let secret = try CredentialSeal(ring: ring).open(kept.sealedSecret, of: kept.id)
            #expect(secret.reveal() == #"{"value":"abcdefghijklmnop"}"#)
            guard subType == "totp" else { continue }
            let password = try #require(OneTimePassword(kept.parameters, secret: secret))
            #expect(password.digest == .sha256 && password.digits == 8 && password.period == 60)
        }
    }

    @Test("A credential that cannot be read is left out and told of; its person stays")
    func unreadable() async throws {
        let long = String(repeating: "x", count: 16_385)
        let people = try await Self.people([
            ["type": "otp", "credentialData": "{}"],
            ["type": "otp", "secretData": "{}", "credentialData": "["],
            ["type": "otp", "secretData": "{}", "credentialData": "[]"],
            ["type": "otp", "secretData": "{}", "credentialData": "7"],
            ["type": "otp", "secretData": .string(long)],
            ["type": "webauthn", "secretData": ""],
        ])
        for imported in people {
            let new = try #require(imported.new)
            #expect(new.credentials.isEmpty && new.password == nil)
            #expect(imported.says(.weaker, "it cannot be read and is left out"))
        }
    }
}

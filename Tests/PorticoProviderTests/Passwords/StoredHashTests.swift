@testable import PorticoAdministration
import PorticoBytes
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

@Suite("Hashes that are kept, ours and other servers'")
struct StoredHashTests {
    private static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2)
            .map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(
        "RFC 6070 §2: PBKDF2 with SHA-1",
        arguments: [
            ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ("password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
            (
                "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
                "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
            ),
            ("pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
        ] as [(String, String, UInt32, String)]
    )
    func rfc6070(password: String, salt: String, iterations: UInt32, value: String) {
        let hash = PBKDF2Hash(
            digest: .sha1,
            iterations: iterations,
            salt: Array(salt.utf8),
            value: Self.hex(value)
        )
        #expect(hash.matches(Array(password.utf8)))
        #expect(!hash.matches(Array((password + "x").utf8)))
        var other = hash
        other.iterations += 1
        #expect(!other.matches(Array(password.utf8)))
    }

    /// Of "correct horse", made with Python's hashlib and with OpenSSL's Argon2 (version 1.0: with
    /// the reference library). The salt is the bytes 0 to 15.
    private static let made = [
        "$pbkdf2$i=1000,l=64$AAECAwQFBgcICQoLDA0ODw$"
            + "ndhWw3a4srcTtr4HQFTLiKRlVuARheqNDSZ/M5xlIWnV8dW5o4FxWW4SX6V6pwPMFQrFliwwmyqHNSBeApSZPA",
        "$pbkdf2-sha256$i=1000,l=32$AAECAwQFBgcICQoLDA0ODw$"
            + "yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ",
        "$pbkdf2-sha256$i=1000,l=64$AAECAwQFBgcICQoLDA0ODw$"
            + "yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQVykgYqFUkGDPSqmamlmDo91gX1JZ69LgWiJuFkmT+UQ",
        "$pbkdf2-sha512$i=1000,l=64$AAECAwQFBgcICQoLDA0ODw$"
            + "Xpx07WjVx4vCIvrmBRj8uOoVVtGqJqtUv2J5bhizSQs7osCteF7W4A61dZDqSIqQjO+dxO6p5FT/Uy7QRBXSXA",
        "$argon2d$v=19$m=256,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$ijCfYoCtIKN5RLvu4vZau0DYO5WewqfG",
        "$argon2d$v=16$m=256,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$ReNd3wijz0h/tu+OeIAnti/q794fEThh",
        "$argon2i$v=19$m=256,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$TXMDy0EJUoy6PmRL8uyKgjSqcT+y1z3A",
        "$argon2i$v=16$m=256,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$akFPHsKO3+THHujaeP9cfo7THgrUaF7F",
        "$argon2id$v=19$m=256,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$hkz52nnMyWjyPF6UsUYlQLFvpIrSLJSy",
        "$argon2id$v=16$m=256,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$SGZe701HgIxZjD9phySQHM0KXouejEvz",
    ]

    @Test("RFC 8018 §5.2, RFC 9106: hashes of other servers are verified", arguments: made)
    func verifies(encoded: String) throws {
        let hash = PasswordHash(encoded: encoded)
        #expect(StoredHash.verify(Array("correct horse".utf8), against: hash))
        for wrong in ["correct horsf", "correct hors", "correct horse ", ""] {
            #expect(!StoredHash.verify(Array(wrong.utf8), against: hash), "\(wrong)")
        }
        let stored = try #require(StoredHash(hash))
        #expect(stored.encoded == hash)
        #expect(Argon2id.isOutdated(hash))
        // Whatever part is another, nothing matches.
        let parts = encoded.split(separator: "$")
        for index in [parts.count - 1, parts.count - 2] {
            var other = parts.map(String.init)
            other[index] = (other[index].hasPrefix("A") ? "B" : "A") + other[index].dropFirst()
            let changed = PasswordHash(encoded: "$" + other.joined(separator: "$"))
            #expect(StoredHash(changed) != nil)
            #expect(!StoredHash.verify(Array("correct horse".utf8), against: changed))
        }
    }

    @Test("WEB-PW-2: a hash with any other parameters than ours is outdated, a stronger one too")
    func outdated() throws {
        let ours = try Argon2id.hash([1], random: .system).encoded
        #expect(!Argon2id.isOutdated(PasswordHash(encoded: ours)))
        let changes = [
            ("$argon2id$", "$argon2i$"), ("v=19", "v=16"), ("m=19456", "m=65536"), ("t=2", "t=3"),
            ("p=1", "p=2"),
        ]
        for (old, new) in changes {
            let other = PasswordHash(encoded: ours.replacing(old, with: new))
            #expect(Argon2id.isOutdated(other), "\(new)")
            #expect(StoredHash(other) != nil)
        }
        let parts = ours.split(separator: "$")
        for (salt, value) in [
            ("AAAAAAAAAAAAAAAAAAAAAAAA", parts[4]), (parts[3], parts[4] + "AAAA"),
        ] {
            let other = "$" + (parts[..<3] + [salt, value]).joined(separator: "$")
            #expect(StoredHash(PasswordHash(encoded: other)) != nil)
            #expect(Argon2id.isOutdated(PasswordHash(encoded: other)))
        }
    }

    private static let ofNothing = [
        "$pbkdf2-sha256$i=1000,l=32$AAECAwQFBgcICQoLDA0ODw$xbMBsf1hvO1j8AZCojBOxnRRn7182DxLyD2v4XQ/mFU",
        "$argon2id$v=19$m=256,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$G9dR+nU77c5+UctXgYqlaxbwsGl2lCv8",
    ]
    private static let salt = "AAECAwQFBgcICQoLDA0ODw"
    private static let value = "yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ"

    @Test(
        "WEB-PW-1: a hash that would cost seconds or gigabytes to verify is none",
        arguments: [
            "$pbkdf2-sha256$i=0,l=32$", "$pbkdf2-sha256$i=10000001,l=32$",
            "$pbkdf2-sha256$i=4294967295,l=32$", "$pbkdf2-sha256$i=4294967296,l=32$",
            "$pbkdf2-sha256$i=-1,l=32$", "$pbkdf2$i=5000001,l=32$",
            "$argon2id$v=19$m=262145,t=1,p=1$", "$argon2id$v=19$m=4294967295,t=1,p=1$",
            "$argon2id$v=19$m=262144,t=9,p=1$", "$argon2id$v=19$m=8,t=262145,p=1$",
            "$argon2id$v=19$m=8,t=0,p=1$", "$argon2id$v=19$m=7,t=1,p=1$",
            "$argon2id$v=19$m=15,t=1,p=2$", "$argon2id$v=19$m=4096,t=1,p=0$",
            "$argon2id$v=19$m=4096,t=1,p=17$",
        ]
    )
    func absurd(beginning: String) {
        #expect(StoredHash(PasswordHash(encoded: "\(beginning)\(Self.salt)$\(Self.value)")) == nil)
    }

    @Test("WEB-PW-1: the most that may be asked for is still read")
    func mostExpensive() {
        let most = [
            "$pbkdf2-sha256$i=10000000,l=32$", "$pbkdf2$i=5000000,l=32$",
            "$argon2id$v=19$m=262144,t=8,p=1$", "$argon2id$v=19$m=128,t=1,p=16$",
        ]
        for beginning in most {
            let hash = PasswordHash(encoded: "\(beginning)\(Self.salt)$\(Self.value)")
            #expect(StoredHash(hash) != nil, "\(beginning)")
        }
    }

    @Test("Salts of 8 to 128 bytes and values of 16 to 128 bytes are read, no others")
    func lengths() {
        func isRead(salt: Int, value: Int) -> Bool {
            func text(_ count: Int) -> String {
                Base64.encode([UInt8](repeating: 7, count: count), padded: false)
            }
            let ends = "\(text(salt))$\(text(value))"
            let read = ["$pbkdf2-sha512$i=1000,l=\(value)$", "$argon2i$v=19$m=64,t=1,p=1$"].map {
                StoredHash(PasswordHash(encoded: $0 + ends)) != nil
            }
            #expect(read[0] == read[1])
            return read[0]
        }
        let salts = [7, 8, 128, 129].map { isRead(salt: $0, value: 32) }
        #expect(salts == [false, true, true, false])
        let values = [15, 16, 128, 129].map { isRead(salt: 16, value: $0) }
        #expect(values == [false, true, true, false])
        #expect(!isRead(salt: 16, value: 0) && !isRead(salt: 0, value: 32))
    }

    @Test(
        "A hash has one spelling",
        arguments: [
            "pbkdf2-sha256$i=1000,l=32$SALT$VALUE", "$$pbkdf2-sha256$i=1000,l=32$SALT$VALUE",
            "$pbkdf2-sha256$i=1000,l=32$SALT$VALUE$", "$pbkdf2-sha256$i=1000,l=32$SALT$VALUE=",
            "$pbkdf2-sha256$i=01000,l=32$SALT$VALUE", "$pbkdf2-sha256$i=+1000,l=32$SALT$VALUE",
            "$pbkdf2-sha256$l=32,i=1000$SALT$VALUE", "$pbkdf2-sha256$i=1000,l=33$SALT$VALUE",
            "$pbkdf2-sha256$i=1000$SALT$VALUE", "$pbkdf2-sha256$i=1000,l=32,$SALT$VALUE",
            "$pbkdf2-sha384$i=1000,l=32$SALT$VALUE", "$PBKDF2-SHA256$i=1000,l=32$SALT$VALUE",
            "$argon2id$m=64,t=1,p=1$SALT$VALUE", "$argon2id$v=18$m=64,t=1,p=1$SALT$VALUE",
            "$argon2$v=19$m=64,t=1,p=1$SALT$VALUE", "$argon2id$v=19$m=64,p=1,t=1$SALT$VALUE",
            "$2$argon2id$v=19$m=64,t=1,p=1$SALT$VALUE", "$2a$10$N9qo8uLOickgx2ZMRZoMye",
        ]
    )
    func spelling(text: String) {
        let encoded = text.replacing("SALT", with: Self.salt).replacing("VALUE", with: Self.value)
        #expect(StoredHash(PasswordHash(encoded: encoded)) == nil)
    }

    @Test("WEB-PW-6: another server's hash is of the characters as typed, or of composed ones")
    func normalisation() async throws {
        let hashing = PasswordHashing(threads: 1, mostWaiting: 8, random: .system)
        // Of "Äpfel im Café", composed and decomposed.
        let ofComposed = "AoAWByn2YEUSw/E/ks66DsPhOaSveoZv/TQEVKcRBHI"
        let ofDecomposed = "r0XfnqV29GXYd59jGneZ+chPdE5ENc/HBvWWq4t7t4Q"
        let composed = "\u{C4}pfel im Caf\u{E9}"
        let decomposed = "A\u{308}pfel im Cafe\u{301}"
        func isRight(_ typed: String, _ value: String) async throws -> Bool {
            let hash = PasswordHash(encoded: "$pbkdf2-sha256$i=1000,l=32$\(Self.salt)$\(value)")
            return try await hashing.verify(
                try #require(PasswordText(typed)),
                against: hash,
                for: .server
            )
        }
        #expect(try await isRight(composed, ofComposed))
        #expect(try await isRight(decomposed, ofComposed))
        #expect(try await isRight(decomposed, ofDecomposed))
        #expect(try await !isRight(composed, ofDecomposed))
        #expect(try await !isRight("Apfel im Cafe", ofComposed))
        await hashing.shutDown()
    }

    @Test("WEB-ENUM-1: a hash that cannot be read costs a hash, and matches no password")
    func unreadable() async throws {
        let full = PasswordHashing(threads: 1, mostWaiting: -1, random: .system)
        let hashing = PasswordHashing(threads: 1, mostWaiting: 8, random: .system)
        let password = try #require(PasswordText("correct horse"))
        let hash = PasswordHash(encoded: "$scrypt$ln=17$AAAA$AAAA")
        #expect(try await !hashing.verify(password, against: hash, for: .server))
        await #expect(throws: PasswordHashing.Busy.self) {
            try await full.verify(password, against: hash, for: .server)
        }
        await hashing.shutDown()
        await full.shutDown()
    }

    @Test("WEB-PW-4: a kept hash of the empty password lets no one in")
    func emptyPassword() async throws {
        let hashing = PasswordHashing(threads: 1, mostWaiting: 8, random: .system)
        let empty = try #require(PasswordText(""))
        for encoded in Self.ofNothing {
            let hash = PasswordHash(encoded: encoded)
            #expect(StoredHash.verify([], against: hash))
            #expect(try await !hashing.verify(empty, against: hash, for: .server))
        }
        await hashing.shutDown()
    }

    @Test("WEB-BRUTE-1: costly hashes are refused before they take all of a pool")
    func costly() async throws {
        let hashing = PasswordHashing(threads: 1, mostWaiting: 15, random: .system)
        let password = try #require(PasswordText("correct horse"))
        let hash = PasswordHash(encoded: "$pbkdf2-sha256$i=500000,l=32$\(Self.salt)$\(Self.value)")
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do {
                        _ = try await hashing.verify(password, against: hash, for: .server)
                        return false
                    } catch {
                        return error is PasswordHashing.Busy
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        // Three of four places each fit, until one has left.
        #expect((1...5).contains(refused))
        #expect(try await !hashing.verify(password, against: hash, for: .server))
        await hashing.shutDown()
    }

    @Test("WEB-BRUTE-1: a costly hash takes more places, and cannot be kept from others by them")
    func places() throws {
        func cost(_ beginning: String) throws -> Int {
            let text = "\(beginning)\(Self.salt)$\(Self.value)"
            return try #require(StoredHash(PasswordHash(encoded: text))).cost
        }
        #expect(try cost("$argon2id$v=19$m=19456,t=2,p=1$") == 1)
        #expect(try cost("$argon2id$v=19$m=7168,t=5,p=1$") == 1)
        #expect(try cost("$argon2id$v=19$m=262144,t=8,p=1$") == 53)
        #expect(try cost("$pbkdf2-sha256$i=27500,l=32$") == 1)
        #expect(try cost("$pbkdf2-sha256$i=600000,l=32$") == 6)
        #expect(try cost("$pbkdf2$i=1300000,l=32$") == 26)
        #expect(try cost("$pbkdf2-sha512$i=210000,l=32$") == 5)

        let anyone = HashingAsker(address: "one", account: "one")
        var places = HashingPlaces(34, threads: 34)
        func enter(_ count: Int, _ asker: HashingAsker, cost: Int = 1) -> [Int] {
            (0..<count).compactMap { _ in places.admit(asker, cost: cost)?.job }
        }
        func leave(_ jobs: [Int]) {
            for job in jobs { _ = places.leave(job) }
        }
        let costly = enter(10, anyone, cost: 26)
        #expect(costly.count == 3)
        leave(costly)
        // A quarter each, and half together: places are counted, not jobs.
        let suspects = (0..<5).map {
            HashingAsker(address: "\($0)", account: "\($0)", isSuspect: true)
        }
        let admitted = suspects.map { enter(2, $0, cost: 26) }
        #expect(admitted.map(\.count) == [1, 1, 0, 0, 0])
        leave(admitted.flatMap(\.self))
        let ofFive = enter(2, suspects[0], cost: 5)
        #expect(ofFive.count == 1)
        leave(ofFive)
        // Who leaves gives all of them back.
        #expect(enter(40, anyone).count == 34)

        // Where there is only one place, a costly one has it.
        places = HashingPlaces(1, threads: 1)
        #expect(places.admit(anyone, cost: 100) != nil)
        #expect(places.admit(anyone) == nil)
    }
}

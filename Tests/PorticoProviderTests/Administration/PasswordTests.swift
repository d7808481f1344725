import Foundation
@testable import PorticoAdministration
import PorticoBytes
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider
@testable import PorticoStores

@Suite("Passwords")
struct PasswordTests {
    private let ann: Person = {
        var person = Person(id: "1", realmID: "r", username: "annexample", createdAt: 0)
        person.email = "green.ann@example.com"
        person.givenName = "Annabel"
        return person
    }()

    private func refusal(_ password: String) -> PasswordPolicy.Refusal? {
        do {
            _ = try PasswordPolicy().check(password, for: ann, in: "orchard")
            return nil
        } catch {
            return error
        }
    }

    @Test("WEB-PW-1: a password is hashed by Argon2id with 19 MiB, two passes and one lane")
    func parameters() throws {
        let hash = try Argon2id.hash(Array("correct horse".utf8), random: .system)
        #expect(hash.encoded.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(!Argon2id.isOutdated(hash))
        #expect(StoredHash.verify(Array("correct horse".utf8), against: hash))
        #expect(!StoredHash.verify(Array("correct horsf".utf8), against: hash))
        #expect(!StoredHash.verify([], against: hash))
    }

    @Test("WEB-PW-2: each hash has 16 random bytes of salt, and weaker ones are told apart")
    func salt() throws {
        let hashes = try (0..<2).map { _ in try Argon2id.hash([1], random: .system).encoded }
        #expect(hashes[0] != hashes[1])
        let salt = hashes[0].split(separator: "$")[3]
        // 16 bytes as base64 without padding.
        #expect(salt.utf8.count == 22)
        for weaker in ["m=4096,t=2,p=1", "m=19456,t=1,p=1"] {
            let old = hashes[0].replacing("m=19456,t=2,p=1", with: weaker)
            #expect(Argon2id.isOutdated(PasswordHash(encoded: old)))
        }
    }

    @Test(
        "A hash that is none, or that asks for a gigabyte, is made from no password",
        arguments: [
            "", "$argon2id$", "$argon2id$v=19$m=,t=,p=$AAAA$AAAA", "plain",
            "$argon2id$v=19$m=4194304,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
            "$argon2id$v=19$m=99999999999999999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
            "$argon2id$v=19$m=19456,t=4294967295,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
        ]
    )
    func foreignHashes(encoded: String) {
        #expect(!StoredHash.verify([], against: PasswordHash(encoded: encoded)))
    }

    @Test("WEB-PW-4: 8 characters at least, 1024 bytes at most, every character, nothing cut off")
    func lengths() throws {
        #expect(refusal("gU4+x9b") == .tooShort)
        #expect(refusal("gU4+x9bQ") == nil)
        #expect(refusal("         x4q   ") == nil)
        #expect(refusal(String(repeating: "🍏🌳", count: 32)) == .common)
        let animals = (0..<64).compactMap {
            Unicode.Scalar(0x1F400 + $0 * 37 % 64).map(String.init)
        }
        #expect(refusal(animals.joined()) == nil)
        let longest = (0..<512).map { ["q7", "Z+"][$0 % 2] }.joined()
        #expect(refusal(longest) == nil)
        #expect(refusal(longest + "x") == .tooLong)
        #expect(PasswordText(String(repeating: "a", count: 1_000_000)) == nil)
        // Beyond the 72 bytes where bcrypt stops, the last character still counts.
        let long = String(longest.prefix(200))
        let hash = try Argon2id.hash(Array(long.utf8), random: .system)
        #expect(!StoredHash.verify(Array((long.dropLast() + "!").utf8), against: hash))
    }

    @Test(
        "WEB-PW-5: what is guessed first, and what says one's own name, is refused",
        arguments: [
            ("password123", PasswordPolicy.Refusal.common), ("P@ssw0rd!", .common),
            ("12345678", .common), ("abcdefgh", .common), ("aaaaaaaaaa", .common),
            ("qwertyuiop", .common), ("annexample1", .containsName), ("green.ann!", .containsName),
            ("Annabel2024", .containsName), ("orchard77", .containsName),
        ]
    )
    func common(password: String, expected: PasswordPolicy.Refusal) {
        #expect(refusal(password) == expected)
    }

    @Test("WEB-PW-5: a name within a password that is one by itself does no harm")
    func nameAndMore() {
        #expect(refusal("annexample rows 3 boats at dawn") == nil)
    }

    @Test("WEB-PW-6: composed and decomposed characters are one password, set and checked")
    func normalisation() async throws {
        let composed = try #require(PasswordText("caf\u{E9} au lait"))
        let decomposed = try #require(PasswordText("cafe\u{301} au lait"))
        let hash = try Argon2id.hash(composed.bytes, random: .system)
        #expect(StoredHash.verify(decomposed.bytes, against: hash))
        // Compatibility characters stay what they are: NFC, not NFKC.
        let ligature = try #require(PasswordText("ca\u{FB01} au lait"))
        let letters = try #require(PasswordText("cafi au lait"))
        #expect(ligature.bytes != letters.bytes)
    }

    @Test("WEB-ENUM-1: what is checked where there is no hash is as slow to check as one")
    func hashOfNothing() throws {
        let random = RandomSource { Array(repeating: 0xFB, count: $0) }
        let nothing = Argon2id.hashOfNothing(random: random).encoded
        // The library would refuse at once what it cannot read: it reads its own.
        let real = try Argon2id.hash(Array("correct horse".utf8), random: random)
        let parts = [nothing, real].map { $0.encoded.split(separator: "$").map(String.init) }
        #expect(parts[0].dropLast() == parts[1].dropLast())
        #expect(parts[0].last?.count == parts[1].last?.count)
        #expect(!StoredHash.verify(Array("correct horse".utf8), against: nothing))
        let tag = try #require(parts[0].last)
        #expect(tag.contains("+") && tag.contains("/"))
        #expect(Data(base64Encoded: tag + "=") == Data(repeating: 0xFB, count: 32))
    }

    @Test("WEB-ENUM-1: a name that no one has costs a hash, like a wrong password")
    func unknownName() async throws {
        let hashing = PasswordHashing(threads: 1, mostWaiting: 8, random: .system)
        // With no place left, hashing is refused.
        let full = PasswordHashing(threads: 1, mostWaiting: -1, random: .system)
        let people = try TestDatabase.inMemory().people
        let hash = try Argon2id.hash(Array("correct horse".utf8), random: .system)
        for credentials in [nil, PersonCredentials(person: ann, password: hash)] {
            // Also a password so long that no one can have it.
            for password in ["wrong horse", String(repeating: "a", count: 5000)] {
                let text = SecretText(password)
                let outcome = try await PasswordSignIn(people: people, hashing: hashing)(
                    text,
                    of: credentials,
                    for: .server,
                    random: .system
                )
                guard case .refused = outcome else {
                    Issue.record("It was taken.")
                    return
                }
                await #expect(throws: PasswordHashing.Busy.self) {
                    try await PasswordSignIn(people: people, hashing: full)(
                        text,
                        of: credentials,
                        for: .server,
                        random: .system
                    )
                }
            }
        }
        await hashing.shutDown()
        await full.shutDown()
    }
}

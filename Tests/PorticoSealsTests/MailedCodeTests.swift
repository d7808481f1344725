import Crypto
import PorticoBytes
import Testing

@testable import PorticoSeals

@Suite("Codes that are mailed") struct MailedCodeTests {
    private static let owner = Hash256(of: "owner")

    @Test("WEB-CRYPT-2: a code is stored as a hash that cannot be made without the key ring")
    func keyed() throws {
        let ring = try KeyRing(random: .system)
        let hash = try #require(MailedCode(ring: ring).hash(of: "123456", for: Self.owner))
        let other = MailedCode(ring: try KeyRing(random: .system))
        #expect(other.hash(of: "123456", for: Self.owner) != hash)
        // What an attacker with only the database could try for all million codes.
        let code = Array("123456".utf8)
        for guess in [code, Self.owner.bytes + code, code + Self.owner.bytes] {
            #expect(Hash256(of: guess) != hash)
            let unkeyed = HMAC<SHA256>.authenticationCode(
                for: guess,
                using: SymmetricKey(data: [UInt8](repeating: 0, count: 32))
            )
            #expect(Array(unkeyed) != hash.bytes)
        }
        #expect(MailedCode(ring: ring).hash(of: "123456", for: Self.owner) == hash)
    }

    @Test("The hash is that of one code for one owner")
    func distinct() throws {
        let codes = MailedCode(ring: try KeyRing(random: .system))
        let hashes = [
            codes.hash(of: "123456", for: Self.owner), codes.hash(of: "123457", for: Self.owner),
            codes.hash(of: "123456", for: Hash256(of: "another")),
            codes.hash(of: "", for: Self.owner),
        ]
        #expect(Set(hashes.compactMap(\.self)).count == 4)
    }

    @Test("A code has six digits, zeros in front too; what would favour some of them is drawn anew")
    func drawn() {
        let numbers: [UInt32] = [
            // The last whole million ends before the first two.
            4_294_000_000, .max, 4_293_999_999, 0, 7, 1_000_000,
        ]
        let bytes = numbers.flatMap { number in
            stride(from: 24, through: 0, by: -8).map { UInt8(number >> UInt32($0) & 0xFF) }
        }
        let left = Locked(bytes[...])
        let random = RandomSource { count in
            left.withLock { left in
                defer { left = left.dropFirst(count) }
                return Array(left.prefix(count))
            }
        }
        let drawn = (0..<4).map { _ in MailedCode.draw(random) }
        #expect(drawn == ["999999", "000000", "000007", "000000"])
    }

    @Test("In the mail it is sealed: another mail's does not open, and neither does another ring's")
    func sealed() throws {
        let ring = try KeyRing(random: .system)
        let mail = UniqueID(random: .system)
        let text = MailedCode(ring: ring).seal("123456", for: mail, random: .system)
        let sealed = try #require(Base64URL.decode(text))
        let vault = SealedAtRest(ring: ring, purpose: "mailed code")
        #expect(try vault.open(sealed, for: mail.text) == Array("123456".utf8))
        #expect(throws: SealError.self) {
            try vault.open(sealed, for: UniqueID(random: .system).text)
        }
        #expect(throws: SealError.self) {
            try SealedAtRest(ring: try KeyRing(random: .system), purpose: "mailed code")
                .open(sealed, for: mail.text)
        }
        #expect(sealed.firstRange(of: Array("123456".utf8)) == nil)
    }
}

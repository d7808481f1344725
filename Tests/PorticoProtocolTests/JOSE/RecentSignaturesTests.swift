import PorticoBytes
import Testing

@testable import PorticoProtocol

/// What an issuer remembers of the tokens it signed lets nothing in that the check of the signature
/// would keep out.
@Suite("Signatures remembered by their issuer")
struct RecentSignaturesTests {
    private static let claims: JSONObject = ["sub": "alice"]

    private func accepts(_ token: String, _ key: SigningKey) -> Bool {
        // `try?`: refused is refused, whatever for.
        (try? JWT(parsing: token).verified(
            by: [key.issuersKey],
            allowing: [key.algorithm],
            types: [.jwt]
        )) != nil
    }

    @Test("A token that was signed here, or checked here, is accepted again and again")
    func accepts() throws {
        for algorithm in SignatureAlgorithm.allCases {
            let key = try TokenForge.key(algorithm)
            let token = try key.sign(claims: Self.claims, type: .jwt)
            let restarted = try SigningKey(algorithm, stored: key.revealStored(), keyID: key.keyID)
            for _ in 0..<3 {
                #expect(accepts(token, key))
                #expect(accepts(token, restarted))
            }
        }
    }

    @Test("RFC 7515 §5.2: not one bit of a remembered token may be another")
    func refusesAltered() throws {
        let key = try SigningKey(generating: .es256, random: .system)
        let token = try key.sign(claims: Self.claims, type: .jwt)
        #expect(accepts(token, key))
        let parts = token.split(separator: ".").map(String.init)
        for index in parts.indices {
            var bytes = try #require(Base64URL.decode(parts[index]))
            for position in bytes.indices {
                bytes[position] ^= 1
                var altered = parts
                altered[index] = Base64URL.encode(bytes)
                for _ in 0..<2 { #expect(!accepts(altered.joined(separator: "."), key)) }
                bytes[position] ^= 1
            }
        }
        let other = try key.sign(claims: ["sub": "bob"], type: .jwt).split(separator: ".")
        #expect(!accepts("\(parts[0]).\(other[1]).\(parts[2])", key))
        #expect(accepts(token, key))
    }

    @Test("RFC 8725 §3.8: what one key signed, another of the same name has not")
    func refusesOtherKeys() throws {
        let one = try SigningKey(generating: .es256, keyID: "same", random: .system)
        let other = try SigningKey(generating: .es256, keyID: "same", random: .system)
        let token = try one.sign(claims: Self.claims, type: .jwt)
        #expect(accepts(token, one))
        for _ in 0..<2 { #expect(!accepts(token, other)) }
    }

    @Test("A token that was forgotten is checked as before")
    func forgets() throws {
        let key = try SigningKey(generating: .edDSA, random: .system)
        let first = try key.sign(claims: Self.claims, type: .jwt)
        for number in 0..<10_000 {
            _ = try key.sign(claims: ["n": .integer(Int64(number))], type: .jwt)
        }
        #expect(accepts(first, key))
    }

    @Test("No number of tokens makes it grow beyond two generations")
    func bounded() {
        let signatures = RecentSignatures()
        var most = 0
        for number in 0..<(5 * RecentSignatures.capacity) {
            signatures.insert(withUnsafeBytes(of: number) { Array($0) })
            most = max(most, signatures.count)
        }
        #expect(most == 2 * RecentSignatures.capacity)
    }
}

import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("Tokens and keys under random damage")
struct JOSEMutationTests {
    private static let rounds = 2500

    @Test(
        "A token that was damaged anywhere never verifies and never traps",
        arguments: SignatureAlgorithm.allCases
    )
    func tokens(algorithm: SignatureAlgorithm) throws {
        var random = SeededGenerator(
            seed: UInt64(algorithm.rawValue.utf8.reduce(0) { $0 + Int($1) })
        )
        let key = try TokenForge.key(algorithm)
        let token = Array(try key.sign(claims: Array(TokenForge.claims.utf8), type: .jwt).utf8)
        let keys = try SignatureAlgorithm.allCases.map { try TokenForge.key($0).verificationKey }
        for _ in 0..<Self.rounds {
            var damaged = token
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damage(&damaged, using: &random)
            }
            guard damaged != token else { continue }
            let text = String(decoding: damaged, as: UTF8.self)
            #expect(throws: JOSEError.self, "\(text)") {
                try JWT(parsing: damaged).verified(
                    by: keys,
                    allowing: Set(SignatureAlgorithm.allCases),
                    types: Set(JWTType.allCases)
                )
            }
        }
        #expect(throws: Never.self) {
            try TokenForge.verify(String(decoding: token, as: UTF8.self))
        }
    }

    @Test("A key set that was damaged anywhere is read or refused, and never traps")
    func sets() throws {
        var random = SeededGenerator(seed: 42)
        let keys = try SignatureAlgorithm.allCases.map { try TokenForge.key($0).verificationKey }
        let text = JWKSet(keys).serialized()
        var read = 0
        for _ in 0..<Self.rounds {
            var damaged = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damage(&damaged, using: &random)
            }
            // A refusal is as good as a set here: the point is that neither is a trap.
            guard let set = try? JWKSet(parsing: damaged) else { continue }
            read += 1
            #expect(try JWKSet(parsing: set.serialized()).keys == set.keys)
        }
        #expect(read > 100, "some of the damaged sets must still be sets")
    }

    private func damage(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: bytes.indices, using: &random)
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
        )
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(UInt8(ascii: "."), at: index)
        case 3: bytes.removeSubrange(index...)
        case 4: bytes.append(contentsOf: bytes[..<index])
        case 5: bytes.swapAt(index, Int.random(in: bytes.indices, using: &random))
        default: bytes[index] = alphabet.randomElement(using: &random) ?? 0
        }
    }
}

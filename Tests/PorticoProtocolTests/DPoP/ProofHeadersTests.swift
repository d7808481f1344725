import PorticoBytes
import Testing

@testable import PorticoProtocol

@Suite("Headers of proofs that were right lately")
struct ProofHeadersTests {
    @Test("RFC9449-4.3: a header that is known makes no wrong proof right, and is no one else's")
    func known() throws {
        let judge = DPoPJudge(nonce: nil)
        func judged(_ proof: String) throws -> DPoPProof? {
            try judge([proof], for: ProofForge.request, at: ProofForge.now)
        }
        for _ in 0..<3 {
            for algorithm in [SignatureAlgorithm.es256, .edDSA] {
                let header = try ProofForge.header(algorithm)
                let right = try ProofForge.proof(header: header, by: algorithm)
                let key = try TokenForge.key(algorithm).verificationKey.jwk
                #expect(try judged(right)?.thumbprint == JWKThumbprint(key))
                // Signed for other claims.
                let claims = ProofForge.claims.with("jti", "j-2")
                let other = try ProofForge.proof(header: header, claims, by: algorithm)
                let parts = right.split(separator: "."), others = other.split(separator: ".")
                let mixed = [parts[0], others[1], parts[2]].joined(separator: ".")
                #expect(throws: DPoPRefusal.signature) { try judged(mixed) }
                let late = try ProofForge.proof(
                    header: header,
                    ProofForge.claims.with("iat", 1),
                    by: algorithm
                )
                #expect(throws: DPoPRefusal.time) { try judged(late) }
                // Another header with the same key is another one.
                let untyped = header.with("typ", "jwt")
                let token = try ProofForge.proof(header: untyped, by: algorithm)
                #expect(throws: DPoPRefusal.type) { try judged(token) }
            }
        }
    }

    @Test("attack B09: proofs of many keys take bounded memory, and long headers none")
    func bounded() throws {
        let header = try ProofForge.header()
        let bytes = header.serialized()
        let key = try TokenForge.key(.es256).verificationKey
        let known = ProofHeaders.Known(
            header: try JWSHeader(parsing: bytes),
            key: key,
            thumbprint: JWKThumbprint(key.jwk)
        )
        let headers = ProofHeaders()
        for number in 0..<UInt64(4 * ProofHeaders.capacity) {
            headers.insert(known, for: number.bigEndianBytes)
            #expect(headers[number.bigEndianBytes] != nil)
        }
        #expect(headers.count == 2 * ProofHeaders.capacity)
        let long = Array(repeating: UInt8(ascii: "a"), count: ProofHeaders.longest + 1)
        headers.insert(known, for: long)
        #expect(headers[long] == nil)
        #expect(headers.count == 2 * ProofHeaders.capacity)
        // The usual one is not long.
        headers.insert(known, for: bytes)
        #expect(headers[bytes]?.thumbprint == known.thumbprint)
    }
}

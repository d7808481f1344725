import PorticoBytes

/// The headers of proofs that were right lately: an app sends the same one, with its public key, with
/// each of its proofs.
///
/// A header is added only after the key in it has verified a signature, and is found by the hash of all
/// of its bytes, so the answer is that of reading it again.
final class ProofHeaders: Sendable {
    struct Known: Sendable {
        let header: JWSHeader
        let key: VerificationKey
        let thumbprint: JWKThumbprint
    }

    /// In each of the two generations; an entry is 4 KiB at most.
    static let capacity = 2_048
    /// Of a header, in bytes: one with a key for ES256 has about 170.
    static let longest = 256

    private let headers = Locked(TwoGenerations<Hash256, Known>(capacity: capacity))

    /// How many are remembered.
    var count: Int { headers.withLock { $0.count } }

    /// - Parameter header: Decoded from base64url.
    subscript(header: [UInt8]) -> Known? {
        guard header.count <= Self.longest else { return nil }
        let hash = Hash256(of: header)
        return headers.withLock { $0[hash] }
    }

    func insert(_ known: Known, for header: [UInt8]) {
        guard header.count <= Self.longest else { return }
        let hash = Hash256(of: header)
        headers.withLock { if $0[hash] == nil { $0.insert(known, for: hash) } }
    }
}

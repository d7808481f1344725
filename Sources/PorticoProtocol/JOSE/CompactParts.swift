import PorticoBytes

/// The three parts of a JWS in compact serialization, decoded (RFC 7515 §3.1).
struct CompactParts: Sendable {
    let header: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]
    /// The token as received.
    let token: [UInt8]
    /// Where header and payload end.
    private let signingInputEnd: Int

    /// Header and payload as received: the signed bytes are never encoded again (RFC 7515 §5.2).
    var signingInput: ArraySlice<UInt8> { token[..<signingInputEnd] }

    /// - Throws: A ``JOSEError`` for everything other than header, payload and signature in strict
    ///   base64url: JWE (five parts), JSON serialization, padding, white space.
    init(_ token: some Collection<UInt8>, limit: Int) throws(JOSEError) {
        guard token.count <= limit else { throw .tooLarge }
        let text = Array(token)
        guard text.first != UInt8(ascii: "{") else { throw .jsonSerialization }
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        // A JWE has five parts (RFC 7516 §3.1).
        guard dots.count != 4 else { throw .encrypted }
        guard dots.count == 2 else { throw .notCompact }
        guard let header = Base64URL.decode(text[..<dots[0]]),
            let payload = Base64URL.decode(text[(dots[0] + 1)..<dots[1]]),
            let signature = Base64URL.decode(text[(dots[1] + 1)...])
        else {
            throw .notBase64URL
        }
        self.header = header
        self.payload = payload
        self.signature = signature
        self.token = text
        signingInputEnd = dots[1]
    }
}

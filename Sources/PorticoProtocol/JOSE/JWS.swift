import PorticoBytes

/// A JSON Web Signature in compact serialization, parsed but not verified (RFC 7515 §3.1).
package struct JWS: Sendable {
    package let header: JWSHeader
    /// Must not be trusted until ``signer(among:allowing:)`` has returned.
    package let uncheckedPayload: [UInt8]
    private let signature: [UInt8]
    /// The token as received.
    private let token: [UInt8]
    /// Where header and payload end.
    private let signingInputEnd: Int

    /// Longer than any token that we issue, in bytes.
    package static let standardLimit = 16 * 1024

    /// - Throws: A ``JOSEError`` for everything other than header, payload and signature in strict
    ///   base64url: JWE (five parts), JSON serialization, padding, white space.
    package init(parsing token: some Collection<UInt8>, limit: Int = JWS.standardLimit)
        throws(JOSEError)
    {
        guard token.count <= limit else { throw .tooLarge }
        let text = Array(token)
        guard text.first != UInt8(ascii: "{") else { throw .jsonSerialization }
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        // A JWE has five parts (RFC 7516 §3.1).
        guard dots.count != 4 else { throw .encrypted }
        guard dots.count == 2 else { throw .notCompact }
        guard let headerBytes = Base64URL.decode(text[..<dots[0]]),
            let payload = Base64URL.decode(text[(dots[0] + 1)..<dots[1]]),
            let signature = Base64URL.decode(text[(dots[1] + 1)...])
        else {
            throw .notBase64URL
        }
        header = try JWSHeader(parsing: headerBytes)
        uncheckedPayload = payload
        self.signature = signature
        self.token = text
        signingInputEnd = dots[1]
    }

    /// The key that made the signature (RFC 7515 §5.2).
    ///
    /// The algorithm is checked before any key is tried (RFC 7515 §4.1.1). If the header names a
    /// key, only keys of that name are tried; otherwise all keys that fit the algorithm (OpenID
    /// Connect Core §10.1).
    ///
    /// - Throws: `.algorithmNotAllowed`, `.unknownKey` if none fits, `.invalidSignature`.
    package func signer(
        among keys: some Sequence<VerificationKey>,
        allowing algorithms: Set<SignatureAlgorithm>
    ) throws(JOSEError) -> VerificationKey {
        guard algorithms.contains(header.algorithm) else { throw .algorithmNotAllowed }
        var isKnown = false
        for key in keys where key.fits(header) {
            if isSigned(by: key) { return key }
            isKnown = true
        }
        throw isKnown ? .invalidSignature : .unknownKey
    }

    /// Whether `key` made the signature, whatever key ID the header names.
    package func isSigned(by key: VerificationKey) -> Bool {
        // A key is used with its own algorithm only (RFC 8725 §3.1).
        guard key.algorithm == header.algorithm else { return false }
        if let known = key.signatures, known.contains(token) { return true }
        // The signed bytes are never encoded again (RFC 7515 §5.2).
        guard key.isValid(signature, for: token[..<signingInputEnd]) else { return false }
        key.signatures?.insert(token)
        return true
    }
}

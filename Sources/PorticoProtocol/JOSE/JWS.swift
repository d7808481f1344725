/// A JSON Web Signature in compact serialization, parsed but not verified (RFC 7515 §3.1).
package struct JWS: Sendable {
    package let header: JWSHeader
    private let parts: CompactParts

    /// Must not be trusted until ``signer(among:allowing:)`` has returned.
    package var uncheckedPayload: [UInt8] { parts.payload }

    /// The longest token that is issued, in bytes, and that is taken back wherever it may come
    /// (docs/decisions/0102).
    package static let standardLimit = 32 * 1024

    /// - Throws: A ``JOSEError`` for everything other than header, payload and signature in strict
    ///   base64url: JWE (five parts), JSON serialization, padding, white space.
    package init(parsing token: some Collection<UInt8>, limit: Int = JWS.standardLimit)
        throws(JOSEError)
    {
        parts = try CompactParts(token, limit: limit)
        header = try JWSHeader(parsing: parts.header)
    }

    /// One whose header is known already.
    ///
    /// - Parameter header: Of ``CompactParts/header``.
    init(_ parts: CompactParts, header: JWSHeader) {
        self.parts = parts
        self.header = header
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
        if let known = key.signatures, known.contains(parts.token) { return true }
        guard key.isValid(parts.signature, for: parts.signingInput) else { return false }
        key.signatures?.insert(parts.token)
        return true
    }
}

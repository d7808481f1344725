import PorticoBytes

/// The keys of an issuer or a client (RFC 7517 §5).
package struct JWKSet: Hashable, Sendable {
    package let keys: [VerificationKey]
    /// Why other keys of the text are not among ``keys``. If every key must be valid, as at a
    /// registration (RFC 7591 §2), this must be empty.
    package let refusals: [JWKError]

    private static let limit = 100

    package init(_ keys: [VerificationKey]) {
        self.keys = keys
        refusals = []
    }

    /// Reads a set and skips each key that cannot be used (RFC 7517 §5).
    ///
    /// Two different keys with the same `kid` and algorithm are both refused, because they cannot
    /// be told apart (RFC 7517 §4.5). With different algorithms they can.
    ///
    /// - Parameter unlabelledRSA: What an RSA key that names no algorithm may sign with: it is then a
    ///   key for each of these.
    package init(
        parsing bytes: some Collection<UInt8>,
        limits: JSONLimits = .standard,
        unlabelledRSA: [SignatureAlgorithm] = [.rs256]
    ) throws(JWKError) {
        let object: JSONObject
        do {
            object = try JSONObject(parsing: bytes, limits: limits)
        } catch {
            throw .notASet
        }
        try self.init(object, unlabelledRSA: unlabelledRSA)
    }

    /// A set inside another object, such as `jwks` in a client's metadata.
    package init(_ object: JSONObject, unlabelledRSA: [SignatureAlgorithm] = [.rs256])
        throws(JWKError)
    {
        guard let elements = object.array("keys") else { throw .notASet }
        guard elements.count <= Self.limit else { throw .tooManyKeys }
        var keys: [VerificationKey] = []
        var refusals: [JWKError] = []
        for element in elements {
            do throws(JWKError) {
                guard let members = element.object else { throw .notAKey }
                for algorithm in unlabelledRSA {
                    let jwk = try JWK(parsing: members, unlabelledRSA: algorithm)
                    let key = try VerificationKey(jwk)
                    if !keys.contains(key) { keys.append(key) }
                }
            } catch {
                refusals.append(error)
            }
        }
        let unambiguous = keys.filter { key in
            !keys.contains { $0 != key && key.sharesName(with: $0) }
        }
        let ambiguous = keys.count - unambiguous.count
        self.keys = unambiguous
        self.refusals = refusals + [JWKError](repeating: .ambiguousKeyID, count: ambiguous)
    }

    /// The keys that may have signed a token with this header.
    package func keys(fitting header: JWSHeader) -> [VerificationKey] {
        keys.filter { $0.fits(header) }
    }

    /// The set for publication: public members only, because a ``JWK`` has no others.
    package func serialized() -> [UInt8] {
        let object: JSONObject = ["keys": .array(keys.map { .object($0.jwk.object) })]
        return object.serialized()
    }
}

extension VerificationKey {
    fileprivate func sharesName(with other: VerificationKey) -> Bool {
        guard let keyID, let otherID = other.keyID else { return false }
        return algorithm == other.algorithm && sameBytes(keyID, otherID)
    }
}

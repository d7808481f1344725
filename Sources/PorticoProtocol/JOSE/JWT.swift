/// A received JSON Web Token that is not verified (RFC 7519 §3).
package struct JWT: Sendable {
    private let jws: JWS

    package var header: JWSHeader { jws.header }

    /// - Throws: A ``JOSEError`` if it is not a signed token in compact serialization, or holds
    ///   another token (RFC 7519 §5.2): nested tokens are never unpacked silently.
    package init(parsing token: some Collection<UInt8>, limit: Int = JWS.standardLimit)
        throws(JOSEError)
    {
        jws = try JWS(parsing: token, limit: limit)
        if let content = jws.header.contentType, JWTType(header: content) != nil {
            throw .nested
        }
    }

    package init(parsing token: String, limit: Int = JWS.standardLimit) throws(JOSEError) {
        try self.init(parsing: token.utf8, limit: limit)
    }

    /// The unverified claims, for example to find out which issuer's keys to fetch.
    package func uncheckedClaims() throws(JOSEError) -> JSONObject {
        try claims()
    }

    /// The token with its algorithm, type and signature verified (RFC 7519 §7.2). The caller must
    /// check issuer, audience and times.
    ///
    /// - Parameters:
    ///   - keys: The keys of the issuer that the token must come from (RFC 8725 §3.8).
    ///   - types: The allowed types of the token (RFC 8725 §3.12).
    package func verified(
        by keys: some Sequence<VerificationKey>,
        allowing algorithms: Set<SignatureAlgorithm>,
        types: Set<JWTType>
    ) throws(JOSEError) -> VerifiedJWT {
        guard let type = JWTType(header: header.type), types.contains(type) else {
            throw .typeNotAccepted
        }
        let key = try jws.signer(among: keys, allowing: algorithms)
        return VerifiedJWT(header: header, type: type, claims: try claims(), key: key)
    }

    private func claims() throws(JOSEError) -> JSONObject {
        do {
            return try JSONObject(
                parsing: jws.uncheckedPayload,
                limits: .claims(size: jws.uncheckedPayload.count)
            )
        } catch {
            throw .invalidClaims
        }
    }
}

/// A token with a verified signature, algorithm and type; only ``JWT/verified(by:allowing:types:)``
/// makes one.
package struct VerifiedJWT: Sendable {
    package let header: JWSHeader
    package let type: JWTType
    package let claims: JSONObject
    /// The key that signed it.
    package let key: VerificationKey

    fileprivate init(header: JWSHeader, type: JWTType, claims: JSONObject, key: VerificationKey) {
        self.header = header
        self.type = type
        self.claims = claims
        self.key = key
    }
}

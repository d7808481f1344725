package import HTTPTypes
import PorticoBytes
import PorticoSystem

/// Decides whether a request proves that its sender holds a key (RFC 9449 §4.3).
///
/// It writes nothing: the caller spends ``DPoPProof/replayKey``, and compares the thumbprint with the
/// key that a code or a token is bound to.
package struct DPoPJudge: Sendable {
    /// How old an `iat` may be, and how far ahead, in seconds: a nonce is good for three minutes at
    /// most, and clocks differ (§11.1).
    package static let past: Int64 = 190
    private static let future: Int64 = 180
    /// Of a proof, in bytes: one with an RSA key of 8192 bits has half as many.
    private static let longest = 8_192
    /// Of `jti` and `nonce`, in bytes.
    private static let longestID = 1_024

    /// What a proof must be for.
    package struct Request: Sendable {
        let method: HTTPRequest.Method
        let address: String
        let token: String?

        /// - Parameters:
        ///   - address: As clients know it, from the configuration: neither the `Host` of the
        ///     request nor what a proxy was asked decides it (§4.3-9).
        ///   - token: The access token that came with the request, if any.
        package init(method: HTTPRequest.Method, address: String, token: String? = nil) {
            self.method = method
            self.address = address
            self.token = token
        }
    }

    private let isGood: (@Sendable (_ nonce: String, _ now: Int64) -> Bool)?
    private let algorithms: Set<SignatureAlgorithm>
    private let headers = ProofHeaders()

    /// - Parameter isGood: Whether a nonce was given lately. `nil`: none is demanded, and none is
    ///   looked at.
    package init(
        nonce isGood: (@Sendable (_ nonce: String, _ now: Int64) -> Bool)?,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
    ) {
        self.isGood = isGood
        self.algorithms = algorithms
    }

    /// - Parameters:
    ///   - fields: The values of all `DPoP` fields.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` if there is no field.
    package func callAsFunction(_ fields: [String], for request: Request, at now: Int64)
        throws(DPoPRefusal) -> DPoPProof?
    {
        guard let field = fields.first else { return nil }
        guard fields.count == 1 else { throw .several }
        let parts = try Self.parsed { () throws(JOSEError) in
            try CompactParts(field.utf8, limit: Self.longest)
        }
        let known = headers[parts.header]
        let sender = if let known { known } else { try sender(parts.header) }
        let proof = JWS(parts, header: sender.header)
        // Before its claims: what is not signed is no one's statement.
        guard proof.isSigned(by: sender.key) else { throw .signature }
        if known == nil { headers.insert(sender, for: parts.header) }
        let claims = try Self.claims(of: proof)
        guard let jti = claims.string("jti"), 1...Self.longestID ~= jti.utf8.count,
            let method = claims.string("htm"), let target = claims.string("htu"),
            let issued = claims["iat"].flatMap(NumericDate.date)
        else { throw .claims }
        guard sameBytes(method, request.method.rawValue) else { throw .method }
        guard Self.isSame(target, request.address) else { throw .target }
        // A date has at most twelve digits, so that nothing overflows.
        let issuedAt = NumericDate.seconds(issued)
        guard now - Self.past...now + Self.future ~= issuedAt else { throw .time }
        try Self.checkLife(claims, at: now)
        try Self.check(claims["ath"], for: request.token)
        try check(claims["nonce"], at: now)
        return DPoPProof(sender, jti: jti, issuedAt: issuedAt)
    }

    private static func parsed<Parsed>(_ parse: () throws(JOSEError) -> Parsed)
        throws(DPoPRefusal) -> Parsed
    {
        do throws(JOSEError) {
            return try parse()
        } catch .algorithmMissing, .algorithmNotAllowed {
            throw .algorithm
        } catch {
            throw .malformed
        }
    }

    /// Whose proof it is, by its header.
    private func sender(_ bytes: [UInt8]) throws(DPoPRefusal) -> ProofHeaders.Known {
        let header = try Self.parsed { () throws(JOSEError) in try JWSHeader(parsing: bytes) }
        // The type is what a client assertion of the same client differs by (§11.5).
        guard JWTType(header: header.type) == .dpopProof else { throw .type }
        guard algorithms.contains(header.algorithm) else { throw .algorithm }
        guard let members = header.members.object("jwk") else { throw .key }
        let key: VerificationKey
        do throws(JWKError) {
            let algorithm: SignatureAlgorithm = header.algorithm == .ps256 ? .ps256 : .rs256
            key = try VerificationKey(JWK(parsing: members, unlabelledRSA: algorithm))
        } catch {
            throw .key
        }
        guard key.algorithm == header.algorithm else { throw .key }
        return ProofHeaders.Known(
            header: header,
            key: key,
            thumbprint: JWKThumbprint(key.jwk)
        )
    }

    private static func claims(of proof: JWS) throws(DPoPRefusal) -> JSONObject {
        do {
            return try JSONObject(parsing: proof.uncheckedPayload)
        } catch {
            throw .claims
        }
    }

    /// Most clients write it as it is known: then nothing has to be normalized.
    private static func isSame(_ named: String, _ asked: String) -> Bool {
        if sameBytes(named, asked) { return true }
        guard let named = TargetURI.normalized(named), let asked = TargetURI.normalized(asked)
        else { return false }
        return sameBytes(named, asked)
    }

    /// A proof needs neither `exp` nor `nbf`. One that has them is not taken outside of them (RFC 7519
    /// §4.1.4, §4.1.5); a clock may be as fast as `iat` says it is.
    private static func checkLife(_ claims: JSONObject, at now: Int64) throws(DPoPRefusal) {
        for (name, isGood) in [
            ("exp", { (time: Int64) in now < time }),
            ("nbf", { (time: Int64) in time <= now + future }),
        ] {
            guard let value = claims[name] else { continue }
            guard let time = NumericDate.date(value).map(NumericDate.seconds) else { throw .claims }
            guard isGood(time) else { throw .time }
        }
    }

    private static func check(_ hash: JSONValue?, for token: String?) throws(DPoPRefusal) {
        guard let token else {
            guard hash == nil else { throw .unexpectedHash }
            return
        }
        guard let hash = hash?.string, ConstantTime.equal(hash, DPoPProof.hash(of: token)) else {
            throw .hash
        }
    }

    /// Last: `use_dpop_nonce` says that everything else is right.
    private func check(_ nonce: JSONValue?, at now: Int64) throws(DPoPRefusal) {
        guard let isGood else { return }
        guard let nonce = nonce?.string, nonce.utf8.count <= Self.longestID, isGood(nonce, now)
        else { throw .nonce }
    }
}

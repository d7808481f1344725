import PorticoBytes

/// The protected header of a JWS, before anything is believed (RFC 7515 §4).
///
/// `jku`, `jwk`, `x5u` and `x5c` may be there; nothing looks for keys in them (RFC 8725 §3.10).
package struct JWSHeader: Hashable, Sendable {
    package let algorithm: SignatureAlgorithm
    /// `kid`: looked up among keys in memory, and used for nothing else (RFC 7515 §4.1.4).
    package let keyID: String?
    /// `typ` as it was written; ``JWTType`` reads it.
    package let type: String?
    /// `cty` as it was written (RFC 7515 §4.1.10).
    package let contentType: String?
    package let members: JSONObject

    static let keyIDLimit = 256

    /// - Parameter bytes: What the first part of a token decodes to.
    init(parsing bytes: [UInt8]) throws(JOSEError) {
        do {
            members = try JSONObject(parsing: bytes)
        } catch {
            throw .invalidHeader
        }
        // "alg" MUST be present and understood (RFC 7515 §4.1.1).
        guard let name = try Self.text("alg", in: members) else { throw .algorithmMissing }
        guard let algorithm = SignatureAlgorithm(wire: name) else { throw .algorithmNotAllowed }
        // We understand no extension, so any "crit" names one that we do not (§4.1.11).
        guard members["crit"] == nil else { throw .criticalHeader }
        // RFC 7797 §6: whoever does not know "b64" must not guess what was signed.
        guard members["b64"] == nil else { throw .unencodedPayload }
        self.algorithm = algorithm
        keyID = try Self.text("kid", in: members)
        type = try Self.text("typ", in: members)
        contentType = try Self.text("cty", in: members)
        guard (keyID?.utf8.count ?? 0) <= Self.keyIDLimit else { throw .keyIDTooLong }
    }

    /// A member that is a text wherever it is present.
    private static func text(_ name: String, in members: JSONObject) throws(JOSEError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw .invalidHeader }
        return text
    }
}

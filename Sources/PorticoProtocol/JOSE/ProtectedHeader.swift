import PorticoBytes

/// The header of a token that a key signed.
package typealias JWSHeader = ProtectedHeader<SignatureAlgorithm>

/// The protected header of a JWS, not verified (RFC 7515 §4).
///
/// `jku`, `jwk`, `x5u` and `x5c` may be present; keys are never taken from them (RFC 8725 §3.10).
///
/// Its algorithm is of one family, so that no token passes for one of the other: those that keys
/// sign (``JWSHeader``), or those that prove a shared secret.
package struct ProtectedHeader<Algorithm>: Hashable, Sendable
where Algorithm: CaseIterable & RawRepresentable<String> & Hashable & Sendable {
    package let algorithm: Algorithm
    /// `kid`: used only to look up keys in memory (RFC 7515 §4.1.4).
    package let keyID: String?
    /// `typ` as written; ``JWTType`` reads it.
    package let type: String?
    /// `cty` as written (RFC 7515 §4.1.10).
    package let contentType: String?
    package let members: JSONObject

    static var keyIDLimit: Int { 256 }

    /// - Parameter bytes: The decoded first part of a token.
    init(parsing bytes: [UInt8]) throws(JOSEError) {
        do {
            members = try JSONObject(parsing: bytes)
        } catch {
            throw .invalidHeader
        }
        // "alg" MUST be present and understood (RFC 7515 §4.1.1).
        guard let name = try Self.text("alg", in: members) else { throw .algorithmMissing }
        guard let algorithm = Algorithm(wire: name) else { throw .algorithmNotAllowed }
        // No extension is supported, so any "crit" names an unknown one (§4.1.11).
        guard members["crit"] == nil else { throw .criticalHeader }
        // RFC 7797 §6: without support for "b64", the signed bytes must not be guessed.
        guard members["b64"] == nil else { throw .unencodedPayload }
        self.algorithm = algorithm
        keyID = try Self.text("kid", in: members)
        type = try Self.text("typ", in: members)
        contentType = try Self.text("cty", in: members)
        guard (keyID?.utf8.count ?? 0) <= Self.keyIDLimit else { throw .keyIDTooLong }
    }

    /// A member that must be a text if present; `null` counts as absent.
    private static func text(_ name: String, in members: JSONObject) throws(JOSEError) -> String? {
        guard let value = members.present(name) else { return nil }
        guard let text = value.string else { throw .invalidHeader }
        return text
    }
}

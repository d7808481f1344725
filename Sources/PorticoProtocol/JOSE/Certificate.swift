import Crypto
import PorticoBytes

/// A certificate (RFC 5280 §4.1) as far as a key set shows it. Nothing is verified by it: neither
/// its signature nor its dates are read.
package struct Certificate: Hashable, Sendable {
    package let der: [UInt8]
    package let publicKey: ForeignPublicKey

    /// - Parameter text: PEM, or base64 without armour.
    package init(_ text: String) throws(ForeignKeyError) {
        try self.init(der: try PEM.bytes(text))
    }

    package init(der: [UInt8]) throws(ForeignKeyError) {
        guard der.count <= PEM.longest else { throw .tooLarge }
        guard let certificate = DERReader.only(DER.sequence, in: der) else { throw .malformed }
        var outer = DERReader(certificate)
        guard let signed = outer.read(DER.sequence), outer.read(DER.sequence) != nil,
            outer.bits() != nil, outer.isAtEnd
        else { throw .malformed }
        var inner = DERReader(signed)
        if inner.nextTag == DER.numbered(0) { _ = inner.read(DER.numbered(0)) }
        // Serial number, signature algorithm, issuer, validity, subject.
        guard inner.read(DER.integer) != nil, inner.read(DER.sequence) != nil,
            inner.read(DER.sequence) != nil, inner.read(DER.sequence) != nil,
            inner.read(DER.sequence) != nil, let key = inner.element(DER.sequence)
        else { throw .malformed }
        publicKey = try ForeignPublicKey(der: key)
        self.der = der
    }

    /// The members of a JWK that name it (RFC 7517 §4.7 to §4.9).
    package var jwkMembers: JSONObject {
        [
            "x5c": [.string(x5c)], "x5t": .string(sha1Thumbprint),
            "x5t#S256": .string(sha256Thumbprint),
        ]
    }

    /// `x5c`: base64 with padding, not base64url (RFC 7517 §4.7).
    package var x5c: String { Base64.encode(der) }
    /// `x5t` (RFC 7517 §4.8).
    package var sha1Thumbprint: String { Base64URL.encode(Insecure.SHA1.hash(data: der)) }
    /// `x5t#S256` (RFC 7517 §4.9).
    package var sha256Thumbprint: String { Base64URL.encode(SHA256.hash(data: der)) }
}

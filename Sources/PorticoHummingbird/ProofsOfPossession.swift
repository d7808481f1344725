public import Portico
import PorticoProtocol

/// How a service takes access tokens that are bound to a key: as `Authorization: DPoP`, with a proof
/// in the field `DPoP` that the sender has the key (RFC 9449 §7).
///
/// Such a token is refused as a Bearer token, and one that is not bound is refused with a proof. Each
/// process takes a proof once, for about three minutes after it was made.
public struct ProofsOfPossession: Sendable {
    /// Without a slash at its end.
    let publicURL: String
    let nonces: DPoPNonces?

    /// - Parameters:
    ///   - publicURL: The address of the service as clients know it: https, with the beginning of the
    ///     path that a proxy takes away, if any. A proof must name an address below it: neither the
    ///     field `Host` of a request nor a proxy decides (RFC 9449 §4.3).
    ///   - nonceKey: 32 secret bytes or more, the same in all processes of the service. Each proof
    ///     must then have a nonce that the service has given in the last three minutes, in the field
    ///     `DPoP-Nonce` of an answer (RFC 9449 §9): no proof can be made in advance. `nil`: no nonces.
    ///   - allowInsecureLoopback: Allows an `http` address on this machine.
    /// - Throws: misconfigured if that is no address, or the key is too short.
    public init(
        publicURL: String,
        nonceKey: [UInt8]? = nil,
        allowInsecureLoopback: Bool = false
    ) throws(SignInError) {
        let text = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        guard let address = HTTPAddress(text), address.query == nil,
            address.isSecure || allowInsecureLoopback && address.isThisMachine,
            nonceKey.map({ $0.count >= 32 }) ?? true
        else { throw SignInError(.misconfigured(.verificationInvalid)) }
        self.publicURL = text
        nonces = nonceKey.map { DPoPNonces(secret: $0) }
    }
}

extension ProofsOfPossession: CustomStringConvertible, CustomReflectable {
    /// Without the key.
    public var description: String { "ProofsOfPossession(\(publicURL))" }
    public var customMirror: Mirror { Mirror(self, children: ["publicURL": publicURL]) }
}

import Crypto
package import PorticoBytes
import PorticoProtocol

/// The credential of a client at a provider.
package enum ProviderSecret: Sendable {
    /// A client secret or app secret.
    case text(SecretText)
    /// A private key, such as in Apple's `.p8` file.
    case key(P256PrivateKey)

    /// Reads a secret as entered or stored: a text, or a key in PEM.
    package init(_ stored: SecretText) throws(IdentityProviderRefusal) {
        let text = stored.reveal()
        if text.contains("-----BEGIN") {
            self = .key(try P256PrivateKey(pem: stored))
        } else {
            self = .text(stored)
        }
    }
}

/// A P-256 private key from a PEM file (PKCS #8, RFC 5958; PRV-A-11).
package struct P256PrivateKey: Sendable {
    private let pem: SecretText
    private let scalar: [UInt8]

    package init(pem: SecretText) throws(IdentityProviderRefusal) {
        self.pem = pem
        do {
            let key = try P256.Signing.PrivateKey(pemRepresentation: pem.reveal())
            scalar = Array(key.rawRepresentation)
        } catch {
            throw .key
        }
    }

    /// The key for signing tokens: ES256, 64 bytes of signature (RFC 7518 §3.4).
    func signingKey(named keyID: String?) throws(JWKError) -> SigningKey {
        try SigningKey(.es256, stored: scalar, keyID: keyID)
    }
}

extension P256PrivateKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "P256PrivateKey" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IdentityProvider {
    /// Checks that the secret is of the kind that the provider uses.
    package func check(_ secret: ProviderSecret?) throws(IdentityProviderRefusal) {
        switch (proof, secret) {
        case (.mintedSecret, .key), (.assertion, .key), (.secret, .text): break
        // A public client: OpenID providers may allow it; the others give every client a secret.
        case (.secret, nil) where kind == .oidc || kind == .keycloak: break
        default: throw .otherSecret
        }
    }
}

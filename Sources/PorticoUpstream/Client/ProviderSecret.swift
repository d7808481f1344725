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

/// A refresh token of a provider, with what is needed beside it to use it.
struct ForeignToken: Sendable {
    let text: SecretText
    /// The client that it was issued to: a native code is redeemed as the app (PRV-A-12), and so are
    /// the tokens issued for it.
    let clientID: String
    /// What it is bound to, if anything (RFC 9449 §5).
    let key: DPoPKey?

    init(_ text: SecretText, of clientID: String, boundTo key: DPoPKey?) {
        self.text = text
        self.clientID = clientID
        self.key = key
    }

    /// Reads what ``written(for:)`` wrote. A key that cannot be read is none: the provider then refuses
    /// the token.
    init(_ written: SecretText, of provider: IdentityProvider) {
        let text = written.reveal()
        guard text.utf8.first == Self.mark else {
            self.init(written, of: provider.clientID, boundTo: nil)
            return
        }
        // What is behind the second dot is the token, whatever it holds.
        let parts = text.utf8.dropFirst()
            .split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
            .map { Substring($0) }
        let clientID = parts.first.flatMap { Base64URL.decode(String($0)) }
        self.init(
            SecretText(String(parts.last ?? "")),
            of: clientID.flatMap { ForeignText.decoded($0) } ?? provider.clientID,
            // `try?`: as said above.
            boundTo: parts.count < 2
                ? nil : Base64URL.decode(String(parts[1])).flatMap { try? DPoPKey(stored: $0) }
        )
    }

    /// What no token begins with: it has visible characters and spaces only (RFC 6749 appendix A.17).
    private static let mark: UInt8 = 1

    /// As it is stored, sealed: the token alone, if it is bound to nothing and is that of the
    /// provider's usual client; otherwise the mark, the client and the key before it.
    func written(for provider: IdentityProvider) -> SecretText {
        guard key != nil || !sameBytes(clientID, provider.clientID) else { return text }
        let client = Base64URL.encode(Array(clientID.utf8))
        let key = key.map { Base64URL.encode($0.revealStored()) } ?? ""
        return SecretText("\u{1}\(client).\(key).\(text.reveal())")
    }
}

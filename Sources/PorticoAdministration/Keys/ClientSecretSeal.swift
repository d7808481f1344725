package import PorticoBytes
import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// Stores client secrets: hashed if they were made by us with 256 random bits, sealed if an
/// administrator chose them (docs/decisions/0038).
package struct ClientSecretSeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "client secret")
    }

    /// A new secret of 43 characters, shown once, and its stored form.
    package func make(random: RandomSource) -> (shown: SecretText, kept: ClientSecret) {
        let secret = random.text(32)
        return (SecretText(secret), .hashed(Hash256(of: secret).bytes))
    }

    /// The stored form of a chosen secret.
    package func keep(_ chosen: SecretText, of clientID: String, random: RandomSource)
        -> ClientSecret
    {
        let sealed = seal.seal(Array(chosen.reveal().utf8), for: clientID, random: random)
        return .sealed(Base64URL.encode(sealed))
    }

    /// The secret itself; `nil` where only its hash is kept.
    ///
    /// - Throws: if the ring does not have the key it was sealed with, or the row was changed.
    package func open(_ kept: ClientSecret, of client: Client) throws -> SecretText? {
        guard case .sealed(let text) = kept else { return nil }
        guard let sealed = Base64URL.decode(text),
            let secret = String(validUTF8: try seal.open(sealed, for: client.id))
        else { throw SealError.doesNotOpen }
        return SecretText(secret)
    }

    package func isRight(_ presented: SecretText, for kept: ClientSecret, of client: Client) -> Bool
    {
        switch kept {
        case .hashed(let hash):
            return ConstantTime.equal(Hash256(of: presented.reveal()).bytes, hash)
        case .sealed(let text):
            // `try?`: a secret that does not open matches nothing.
            guard let sealed = Base64URL.decode(text),
                let secret = try? seal.open(sealed, for: client.id)
            else { return false }
            return ConstantTime.equal(
                Hash256(of: presented.reveal()).bytes,
                Hash256(of: secret).bytes
            )
        }
    }
}

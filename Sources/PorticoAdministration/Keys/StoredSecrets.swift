package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores

// What seals secrets of the database, each kind under its own purpose, and opens them (docs/decisions/0038).
// Opening throws if the ring does not have the key that a secret was sealed with, or the row was changed.

extension SealedAtRest {
    fileprivate func text(_ secret: [UInt8], for owner: String, random: RandomSource) -> String {
        Base64URL.encode(seal(secret, for: owner, random: random))
    }

    fileprivate func open(text: String, for owner: String) throws(SealError) -> [UInt8] {
        guard let sealed = Base64URL.decode(text) else { throw .doesNotOpen }
        return try open(sealed, for: owner)
    }

    fileprivate func secret(text: String, for owner: String) throws(SealError) -> SecretText {
        guard let secret = String(validUTF8: try open(text: text, for: owner)) else {
            throw .doesNotOpen
        }
        return SecretText(secret)
    }
}

/// Stores client secrets: hashed if they were made by us with 256 random bits, sealed if an
/// administrator chose them.
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
        .sealed(seal.text(Array(chosen.reveal().utf8), for: clientID, random: random))
    }

    /// The secret itself; `nil` where only its hash is kept.
    package func open(_ kept: ClientSecret, of client: Client) throws -> SecretText? {
        guard case .sealed(let text) = kept else { return nil }
        return try seal.secret(text: text, for: client.id)
    }

    package func isRight(_ presented: SecretText, for kept: ClientSecret, of client: Client) -> Bool
    {
        let hash: [UInt8]
        switch kept {
        case .hashed(let kept): hash = kept
        case .sealed(let text):
            // `try?`: a secret that does not open matches nothing.
            guard let secret = try? seal.open(text: text, for: client.id) else { return false }
            hash = Hash256(of: secret).bytes
        }
        return ConstantTime.equal(Hash256(of: presented.reveal()).bytes, hash)
    }
}

/// Seals the secrets of second factors.
package struct CredentialSeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "second factor")
    }

    /// - Parameter id: The credential's, to which the secret is bound.
    package func seal(_ secret: SecretText, of id: String, random: RandomSource) -> String {
        seal.text(Array(secret.reveal().utf8), for: id, random: random)
    }

    package func open(_ sealed: String, of id: String) throws -> SecretText {
        try seal.secret(text: sealed, for: id)
    }
}

/// Seals the secrets of keys that sign nothing here.
package struct KeptKeySeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "kept key")
    }

    package func seal(
        _ secret: [UInt8],
        of keyID: String,
        realmID: String,
        random: RandomSource
    ) -> String {
        seal.text(secret, for: realmID + "/" + keyID, random: random)
    }

    package func open(_ sealed: String, of keyID: String, realmID: String) throws -> [UInt8] {
        try seal.open(text: sealed, for: realmID + "/" + keyID)
    }
}

/// Seals the private keys of realms.
package struct SigningKeySeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "signing key")
    }

    package func seal(_ key: SigningKey, realmID: String, random: RandomSource) -> String {
        seal.text(key.revealStored(), for: realmID + "/" + key.keyID, random: random)
    }

    package func open(_ record: SigningKeyRecord) throws -> SigningKey {
        let owner = record.realmID + "/" + record.keyID
        let secret = try seal.open(text: record.sealedPrivateKey, for: owner)
        return try SigningKey(record.algorithm, stored: secret, keyID: record.keyID)
    }
}

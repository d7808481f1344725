import PorticoBytes

/// A refresh that has no stored answer yet. It is stored before the request is sent, so that a
/// repetition has the same key.
struct PendingRefresh: Sendable, Equatable {
    let idempotencyKey: String
    /// The SHA-256 of the refresh token that is being exchanged, as base64url.
    let tokenHash: String

    init(idempotencyKey: String, tokenHash: String) {
        self.idempotencyKey = idempotencyKey
        self.tokenHash = tokenHash
    }

    init(_ token: SecretText, random: RandomSource) {
        idempotencyKey = random.text(16)
        tokenHash = Self.hash(token)
    }

    func isFor(_ token: SecretText) -> Bool {
        ConstantTime.equal(tokenHash, Self.hash(token))
    }

    private static func hash(_ token: SecretText) -> String {
        Base64URL.encode(Hash256(of: token.reveal()).bytes)
    }
}

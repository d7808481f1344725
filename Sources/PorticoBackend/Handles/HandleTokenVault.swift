import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Seals the tokens of sessions by handle, with the key that they are bound to, for their own
/// session (ATP-TL-6).
struct HandleTokenVault: Sendable {
    private let vault: SealedAtRest

    init(ring: KeyRing) {
        vault = SealedAtRest(ring: ring, purpose: "handle tokens")
    }

    struct Tokens: Sendable {
        /// `nil`: the host gave only a refresh token.
        var access: SecretText?
        var refresh: SecretText?
        /// The session's key, from its beginning to its end.
        var key: DPoPKey
    }

    func seal(_ tokens: Tokens, for sessionID: UniqueID, random: RandomSource) -> String {
        var writer = ByteWriter()
        writer.optionalText(tokens.access?.reveal())
        writer.optionalText(tokens.refresh?.reveal())
        writer.fixed(tokens.key.revealStored())
        return Base64URL.encode(vault.seal(writer.bytes, for: sessionID.text, random: random))
    }

    /// - Returns: `nil` if there are none, or the key ring can no longer open them.
    func open(_ session: HandleSession) -> Tokens? {
        guard let text = session.sealed, let sealed = Base64URL.decode(text),
            // `try?`: tokens that do not open are lost; the person signs in again.
            let bytes = try? vault.open(sealed, for: session.sessionID.text)
        else { return nil }
        var reader = ByteReader(bytes)
        // `try?`: only another version of the program writes other fields.
        return try? Tokens(&reader)
    }
}

extension HandleTokenVault.Tokens {
    fileprivate init(_ reader: inout ByteReader) throws {
        access = try reader.optionalText().map { SecretText($0) }
        refresh = try reader.optionalText().map { SecretText($0) }
        key = try DPoPKey(stored: try reader.fixed(32))
        try reader.end()
    }
}

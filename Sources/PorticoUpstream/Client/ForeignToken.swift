import PorticoBytes
import PorticoProtocol

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
        // No token contains a space (RFC 6749 appendix A.17).
        let (text, rest) = Self.halves(Substring(written.reveal()))
        guard let rest else {
            self.init(SecretText(String(text)), of: provider.clientID, boundTo: nil)
            return
        }
        guard rest.hasPrefix(" ") else {
            self.init(SecretText(String(text)), of: String(rest), boundTo: nil)
            return
        }
        let (key, clientID) = Self.halves(rest.dropFirst())
        self.init(
            SecretText(String(text)),
            of: clientID.map(String.init) ?? provider.clientID,
            // `try?`: as said above.
            boundTo: Base64URL.decode(String(key)).flatMap { try? DPoPKey(stored: $0) }
        )
    }

    private static func halves(_ text: Substring) -> (Substring, Substring?) {
        guard let space = text.firstIndex(of: " ") else { return (text, nil) }
        return (text[..<space], text[text.index(after: space)...])
    }

    /// As it is stored, sealed: the token alone, if it is bound to nothing and is that of the
    /// provider's usual client.
    func written(for provider: IdentityProvider) -> SecretText {
        guard let key else {
            guard !sameBytes(clientID, provider.clientID) else { return text }
            return SecretText("\(text.reveal()) \(clientID)")
        }
        return SecretText(
            "\(text.reveal())  \(Base64URL.encode(key.revealStored())) \(clientID)"
        )
    }
}

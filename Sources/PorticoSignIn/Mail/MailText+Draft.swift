import PorticoBytes
package import PorticoPages
package import PorticoSeals
package import PorticoStores

extension MailText {
    /// The content of an email in the outbox, with its secrets opened.
    ///
    /// - Parameter name: The display name of a provider, by its configured name.
    /// - Throws: `SealError` if a key no longer exists: the email can then never be written.
    package init(_ draft: MailDraft, ring: KeyRing, name: (String) -> String) throws {
        switch draft.message {
        case .confirmationCode(let sealed, let use, let minutes):
            let vault = SealedAtRest(ring: ring, purpose: "mailed code")
            self = .confirmationCode(
                code: try Self.open(sealed, vault, draft.id),
                use: CodeUse(use, draft, name: name),
                minutes: minutes
            )
        case .emailChanged: self = .emailChanged
        case .newDevice(let device, let time, let provider):
            self = .newDevice(device: device, at: time, provider: name(provider))
        case .wayAdded(let provider): self = .methodAdded(provider: name(provider))
        case .wayRemoved(let provider): self = .methodRemoved(provider: name(provider))
        case .passwordReset(let sealed, let minutes):
            let vault = SealedAtRest(ring: ring, purpose: "password reset")
            self = .passwordReset(address: try Self.open(sealed, vault, draft.id), minutes: minutes)
        case .accountActions(let sealed, let end):
            let vault = SealedAtRest(ring: ring, purpose: "action link")
            self = .accountActions(address: try Self.open(sealed, vault, draft.id), until: end)
        case .passwordChanged: self = .passwordChanged
        case .accountReclaimed: self = .accountReclaimed
        case .alreadyRegistered: self = .alreadyRegistered
        case .secondFactorAdded: self = .secondFactorAdded
        case .secondFactorRemoved: self = .secondFactorRemoved
        case .recoveryCodesMade: self = .recoveryCodesMade
        case .accountDeleted: self = .accountDeleted
        }
    }

    private static func open(_ text: String, _ vault: SealedAtRest, _ id: UniqueID) throws -> String
    {
        guard let sealed = Base64URL.decode(text) else { throw SealError.doesNotOpen }
        let bytes = try vault.open(sealed, for: id.text)
        guard let secret = String(validating: bytes, as: UTF8.self) else {
            throw SealError.doesNotOpen
        }
        return secret
    }
}

extension MailText.CodeUse {
    fileprivate init(_ use: MailedCodeUse, _ draft: MailDraft, name: (String) -> String) {
        switch use {
        // Every email in an outbox has a recipient.
        case .confirmAddress: self = .confirmAddress(draft.to ?? "")
        case .claimAccount(let provider): self = .claimAccount(provider: name(provider))
        case .confirmItsYou: self = .confirmItsYou
        }
    }
}

import Portico
import PorticoBytes
import PorticoStores
import PorticoUpstream

/// Taking an identity, or a whole account, away: what the provider gave us is given back where the
/// provider can take it (PRV-A-19).
struct AccountDeparture: Sendable {
    let accounts: any AccountStore
    let directory: BackendDirectory
    let tokens: ProviderTokens

    struct Report: Sendable {
        /// `false` where a provider that has tokens of the person could not be told.
        let areTokensRevoked: Bool
    }

    func unlink(_ provider: String, from account: Account, _ visit: BackendVisit) async throws
        -> UnlinkOutcome
    {
        let outcome = try await accounts.unlink(
            provider: provider,
            from: account.id,
            notice: MailDraft(
                id: visit.moment.id(),
                to: nil,
                message: .wayRemoved(provider: provider),
                language: account.language,
                createdAt: visit.now
            ),
            at: visit.now
        )
        if case .unlinked(let identity) = outcome { _ = await revoke([identity]) }
        return outcome
    }

    func delete(_ account: Account, _ visit: BackendVisit) async throws -> Report {
        let identities = try await accounts.delete(account.id, at: visit.now) ?? []
        return Report(areTokensRevoked: await revoke(identities))
    }

    /// Each provider is asked once; that it does not answer keeps nobody from leaving.
    private func revoke(_ identities: [Identity]) async -> Bool {
        var areAllRevoked = true
        for identity in identities {
            guard identity.sealedToken != nil else { continue }
            guard let token = tokens.open(identity),
                let provider = directory.provider(named: identity.provider)
            else {
                areAllRevoked = false
                continue
            }
            if await !provider.client.revoke(token) { areAllRevoked = false }
        }
        return areAllRevoked
    }
}

import Portico
package import PorticoBytes
package import PorticoSeals
package import PorticoStores
import PorticoUpstream
import PorticoWeb

/// Taking a session, an identity or a whole account away: what the provider gave us is given back
/// where the provider can take it (PRV-A-19, OIDCRPL-6-3).
///
/// A sign-out is what the account's person asks for, here or from another device, and what whoever
/// runs the server asks for by `portico session revoke`. A session that ends in any other way takes
/// no token along: one that expired or that a new sign-in in its browser replaced, since nobody asked
/// and the next sign-in uses what is kept; one whose refresh token was replayed, since no token of a
/// provider's ever was where it leaked; those that a provider ended, since it knows what its own
/// token is worth from then on; those of an account that was blocked, since it can be let in again.
/// What stays so goes with the next sign-out that leaves no session, or with the account.
package struct AccountDeparture: Sendable {
    private let accounts: AccountStore
    private let directory: BackendDirectory
    private let tokens: ProviderTokens
    /// How long the providers are waited for, all together.
    private let patience: Duration

    package init(
        accounts: AccountStore,
        directory: BackendDirectory,
        ring: KeyRing,
        patience: Duration = .seconds(5)
    ) {
        self.accounts = accounts
        self.directory = directory
        tokens = ProviderTokens(ring: ring)
        self.patience = patience
    }

    /// What became of a token that a provider had given us to keep.
    package enum Revocation: Hashable, Sendable {
        case revoked
        /// The provider has no way to, or does not answer in time.
        case notRevoked
        /// The provider is not set up any more, or disabled.
        case providerGone
        /// The token does not open any more.
        case tokenLost
    }

    package struct Report: Sendable {
        /// One for each token, in the order of linking.
        package let revocations: [(provider: String, outcome: Revocation)]

        /// `false` where a provider that has tokens of the person could not be told.
        var areTokensRevoked: Bool { revocations.allSatisfy { $0.outcome == .revoked } }
    }

    /// - Returns: `nil`: the account has no such session.
    @discardableResult
    package func signOut(_ sessionID: UniqueID, of accountID: UniqueID, at now: Int64) async throws
        -> Report?
    {
        await report(try await accounts.signOut(sessionID, of: accountID, at: now))
    }

    /// - Parameter kept: The one session that stays.
    /// - Returns: `nil`: there is no such account.
    @discardableResult
    package func signOutEverywhere(
        _ accountID: UniqueID,
        except kept: UniqueID? = nil,
        at now: Int64
    ) async throws -> Report? {
        let outcome = try await accounts.signOutEverywhere(of: accountID, except: kept, at: now)
        return await report(outcome)
    }

    private func report(_ outcome: SignOutOutcome) async -> Report? {
        switch outcome {
        case .signedOut(let identities): Report(revocations: await revoke(identities))
        case .notFound: nil
        }
    }

    func unlink(_ provider: String, from account: Account, _ context: BackendContext) async throws
        -> UnlinkOutcome
    {
        let outcome = try await accounts.unlink(
            provider: provider,
            from: account.id,
            usable: directory.providers.map(\.name),
            notice: MailDraft(
                id: context.moment.id(),
                to: nil,
                message: .wayRemoved(provider: provider),
                language: account.language,
                createdAt: context.now
            ),
            at: context.now
        )
        if case .unlinked(let identity) = outcome { _ = await revoke([identity]) }
        return outcome
    }

    /// Its verified address is told.
    ///
    /// - Returns: `nil`: there is no such account.
    package func delete(_ accountID: UniqueID, at moment: Moment) async throws -> Report? {
        let identities = try await accounts.delete(
            accountID,
            noticeID: moment.id(),
            at: moment.seconds
        )
        guard let identities else { return nil }
        return Report(revocations: await revoke(identities))
    }

    /// Each provider is asked once, all at one time; that one does not answer keeps nobody from
    /// leaving. Whoever closes the page meanwhile has left all the same: the tokens are in no row
    /// any more, so that nobody else could revoke them.
    private func revoke(_ identities: [Identity]) async -> [(String, Revocation)] {
        let kept = identities.filter { $0.sealedToken != nil }
        guard !kept.isEmpty else { return [] }
        let revoking = Task {
            await withTaskGroup(of: (Int, Revocation).self) { group in
                for (place, identity) in kept.enumerated() {
                    group.addTask { (place, await revokeInTime(identity)) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        let outcomes = await revoking.value
        return kept.enumerated().map { ($1.provider, outcomes[$0] ?? .notRevoked) }
    }

    private func revokeInTime(_ identity: Identity) async -> Revocation {
        await withTaskGroup(of: Revocation.self) { group in
            group.addTask { await revoke(identity) }
            group.addTask {
                // `try?`: it is woken early only when it is not needed any more.
                try? await Task.sleep(for: patience)
                return .notRevoked
            }
            defer { group.cancelAll() }
            return await group.next() ?? .notRevoked
        }
    }

    private func revoke(_ identity: Identity) async -> Revocation {
        guard let provider = directory.provider(named: identity.provider) else {
            return .providerGone
        }
        guard let token = tokens.open(identity) else { return .tokenLost }
        return await provider.client.revoke(token) ? .revoked : .notRevoked
    }
}

import Portico
package import PorticoBytes
package import PorticoSeals
package import PorticoStores
import PorticoUpstream
import PorticoWeb

/// Removes a session, an identity or a whole account, and revokes the provider's tokens where the
/// provider supports it (PRV-A-19, OIDCRPL-6-3).
///
/// A sign-out is requested by the account's person, on this or another device, or by the operator
/// with `portico user sign-out`. A session that ends for another reason revokes no token: one that
/// expired or that a new sign-in in its browser replaced, because no one asked and the next sign-in
/// uses the stored token; one with a replayed refresh token, because the leak cannot include a
/// provider's token; those that a provider ended, because it decides itself what its tokens are
/// worth; those of a blocked account, because it can be unblocked. These tokens are revoked at the
/// next sign-out that leaves no session, or with the account.
package struct AccountDeparture: Sendable {
    private let accounts: AccountStore
    private let sessions: SessionStore
    private let directory: ProviderDirectory
    private let tokens: ProviderTokens
    /// Where people are served; `nil`: from the command line.
    private let origin: String?
    /// How long to wait for all providers together.
    private let patience: Duration
    private let sessionEnded: @Sendable () -> Void

    package init(
        accounts: AccountStore,
        sessions: SessionStore,
        directory: ProviderDirectory,
        ring: KeyRing,
        origin: String? = nil,
        patience: Duration = .seconds(5),
        sessionEnded: @escaping @Sendable () -> Void = {}
    ) {
        self.accounts = accounts
        self.sessions = sessions
        self.directory = directory
        tokens = ProviderTokens(ring: ring)
        self.origin = origin
        self.patience = patience
        self.sessionEnded = sessionEnded
    }

    /// The outcome for a provider's stored token.
    package enum Revocation: Hashable, Sendable {
        case revoked
        /// The provider does not support it, or does not answer in time.
        case notRevoked
        /// The provider is no longer configured, or disabled.
        case providerGone
        /// The token can no longer be opened.
        case tokenLost
    }

    package struct Report: Sendable {
        /// One for each token, in the order of linking.
        package let revocations: [(provider: String, outcome: Revocation)]

        /// `false` if a provider with tokens of the person could not be told.
        package var areTokensRevoked: Bool { revocations.allSatisfy { $0.outcome == .revoked } }
    }

    /// - Returns: `nil` if the account has no such session.
    @discardableResult
    package func signOut(_ sessionID: String, of personID: String, at now: Int64) async throws
        -> Report?
    {
        await report(try await sessions.signOut(sessionID, of: personID, at: now))
    }

    /// - Parameter kept: The only session that stays.
    /// - Returns: `nil` if the account does not exist.
    @discardableResult
    package func signOutEverywhere(
        _ personID: String,
        except kept: String? = nil,
        at now: Int64
    ) async throws -> Report? {
        let outcome = try await sessions.signOutEverywhere(of: personID, except: kept, at: now)
        return await report(outcome)
    }

    private func report(_ outcome: SignOutOutcome) async -> Report? {
        guard case .signedOut(let identities) = outcome else { return nil }
        sessionEnded()
        return Report(revocations: await revoke(identities))
    }

    package func unlink(_ provider: String, from account: Person, _ context: SignInContext)
        async throws
        -> UnlinkOutcome
    {
        let outcome = try await accounts.unlink(
            provider: provider,
            from: account.id,
            usable: directory.names,
            orPassword: origin.map(directory.takesPasswords) ?? false,
            notice: MailDraft(
                id: context.moment.id(),
                to: nil,
                message: .wayRemoved(provider: provider),
                language: account.language,
                service: context.owner,
                createdAt: context.now
            ),
            at: context.now
        )
        if case .unlinked(let identity) = outcome { _ = await revoke([identity]) }
        return outcome
    }

    /// Also notifies the account's verified address.
    ///
    /// - Returns: `nil` if the account does not exist.
    package func delete(_ personID: String, at moment: Moment) async throws -> Report? {
        let identities = try await accounts.delete(
            personID,
            noticeID: moment.id(),
            at: moment.seconds
        )
        guard let identities else { return nil }
        sessionEnded()
        return Report(revocations: await revoke(identities))
    }

    /// Every provider is asked once, all at the same time; one that does not answer does not
    /// prevent the departure. If the person closes the page in the meantime, it completes anyway:
    /// the tokens are no longer in any row, so nothing else could revoke them.
    package func revoke(_ identities: [Identity]) async -> [(provider: String, outcome: Revocation)]
    {
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
                // `try?`: it is cancelled only when it is no longer needed.
                try? await Task.sleep(for: patience)
                return .notRevoked
            }
            defer { group.cancelAll() }
            return await group.next() ?? .notRevoked
        }
    }

    private func revoke(_ identity: Identity) async -> Revocation {
        // One of the same name at another issuer must not see it.
        guard let provider = directory.provider(of: identity) else { return .providerGone }
        guard let token = tokens.open(identity) else { return .tokenLost }
        return await provider.client.revoke(token) ? .revoked : .notRevoked
    }
}

import Portico
import PorticoBytes
import PorticoStores
import PorticoUpstream

/// Access tokens of identity providers for people with a session: fetched with the refresh token
/// that is kept sealed, used until they expire, never seen by a browser or app (WEB-BFF-1).
actor ProviderAccess {
    private let accounts: AccountStore
    private let directory: BackendDirectory
    private let vault: ProviderTokens
    private var known = RecentValues<Token>()
    private var repetitions = RecentValues<Repetition>()
    private var fetches: [IdentityKey: Task<Result<Token, Failure>, Never>] = [:]

    struct Token: Sendable {
        let text: SecretText
        /// Seconds since 1970.
        let expiresAt: Int64
        /// The refresh token that stood in the row when it was fetched, or that came with it: once
        /// there is another one, or none, this one was signed out with it.
        fileprivate let origin: String?
    }

    /// A refresh whose answer did not come, or could not be kept: with the same key it is no replay to
    /// a provider that knows such keys, and gives the same answer.
    private struct Repetition {
        /// The refresh token that stood in the row.
        let origin: String?
        let key: String
    }

    enum Failure: Error, Hashable, Sendable {
        /// The person has no identity at that provider, or it gave no refresh token.
        case none
        /// The provider does not take the refresh token any more: a new sign-in helps.
        case ended
        case unreachable
    }

    /// Seconds before the end at which a token is not used any more.
    private static let margin: Int64 = 30

    init(accounts: AccountStore, directory: BackendDirectory, vault: ProviderTokens) {
        self.accounts = accounts
        self.directory = directory
        self.vault = vault
    }

    /// The access token of the account's identity at a provider. Any number of callers cause one
    /// refresh.
    func token(of accountID: UniqueID, at provider: String, _ moment: Moment) async throws -> Token
    {
        let identities = try await accounts.identities(of: accountID)
        guard let identity = identities.first(where: { sameBytes($0.provider, provider) }) else {
            throw Failure.none
        }
        if let token = known[identity.key], let origin = identity.sealedToken,
            token.origin == origin, token.expiresAt - Self.margin > moment.seconds
        {
            return token
        }
        let fetch = fetches[identity.key] ?? start(identity, of: accountID, moment)
        return try await fetch.value.get()
    }

    private func start(_ identity: Identity, of accountID: UniqueID, _ moment: Moment) -> Task<
        Result<Token, Failure>, Never
    > {
        let fetch = Task { () -> Result<Token, Failure> in
            let result = await refresh(identity, of: accountID, moment)
            fetches[identity.key] = nil
            if case .success(let token) = result { known[identity.key] = token }
            if case .failure(.unreachable) = result {} else { repetitions[identity.key] = nil }
            return result
        }
        fetches[identity.key] = fetch
        return fetch
    }

    private func refresh(_ identity: Identity, of accountID: UniqueID, _ moment: Moment) async
        -> Result<Token, Failure>
    {
        guard let token = vault.open(identity),
            let provider = directory.provider(named: identity.provider)
        else { return .failure(.none) }
        do {
            let answer = try await provider.client.refresh(
                token,
                idempotencyKey: idempotencyKey(identity, moment)
            )
            var origin = identity.sealedToken
            if let successor = answer.refreshToken, successor != token {
                let sealed = vault.seal(successor, for: identity.key, at: moment)
                // A rotated token that is lost signs the person out of every API.
                let change = try await accounts.keepToken(
                    sealed,
                    of: identity.key,
                    replacing: identity.sealedToken
                )
                if change == .changed {
                    origin = sealed
                } else if try await isForgotten(identity.key, of: accountID) {
                    // Signed out meanwhile: what was revoked then was the token before this one.
                    _ = await provider.client.revoke(successor)
                    return .failure(.ended)
                }
            }
            let expiresAt = answer.expiresAt ?? moment.seconds + 60
            let token = Token(text: answer.accessToken, expiresAt: expiresAt, origin: origin)
            return .success(token)
        } catch let error as SignInError {
            // Only the token's refusal is one; what else went wrong no new sign-in mends.
            if case .interactionRequired = error.kind { return .failure(.ended) }
            return .failure(.unreachable)
        } catch {
            // The successor could not be kept: what it replaces may still do.
            return .failure(.unreachable)
        }
    }

    private func idempotencyKey(_ identity: Identity, _ moment: Moment) -> String {
        if let repeated = repetitions[identity.key], repeated.origin == identity.sealedToken {
            return repeated.key
        }
        let key = moment.random.text(16)
        repetitions[identity.key] = Repetition(origin: identity.sealedToken, key: key)
        return key
    }

    /// Whether nothing is kept of an identity any more, or it is gone.
    private func isForgotten(_ key: IdentityKey, of accountID: UniqueID) async throws -> Bool {
        let identities = try await accounts.identities(of: accountID)
        return identities.first { $0.key == key }?.sealedToken == nil
    }
}

/// What was used lately of identities, at most a thousand.
private struct RecentValues<Value> {
    private var values: [IdentityKey: Value] = [:]
    private let most = 1000

    subscript(key: IdentityKey) -> Value? {
        get { values[key] }
        set {
            // All at once is coarse, and rare; each is made again when it is needed.
            if values.count >= most, newValue != nil, values[key] == nil { values = [:] }
            values[key] = newValue
        }
    }
}

import Portico
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoSignIn

/// Access tokens of identity providers for people with a session: fetched with the sealed refresh
/// token, used until they expire, never sent to a browser or app (WEB-BFF-1).
actor ProviderAccess {
    private let accounts: AccountStore
    private let directory: ProviderDirectory
    private let vault: ProviderTokens
    private var known = TwoGenerations<Place, Token>(capacity: 1000)
    private var repetitions = TwoGenerations<Place, Repetition>(capacity: 1000)
    private var fetches: [Place: Task<Result<Token, Failure>, Never>] = [:]

    struct Token: Sendable {
        let text: SecretText
        /// What it is bound to, if anything.
        let key: DPoPKey?
        /// Seconds since 1970.
        let expiresAt: Int64
        /// The refresh token in the row when this was fetched, or the one that came with it: if the
        /// row now has another one, or none, this token was signed out with it.
        fileprivate let origin: String?
    }

    /// A refresh that got no answer, or a result that could not be stored: repeated with the same
    /// key, it is not a replay to a provider that supports such keys, and gets the same answer.
    private struct Repetition {
        /// The refresh token in the row.
        let origin: String?
        let key: String
    }

    enum Failure: Error, Hashable, Sendable {
        /// The person has no identity at that provider, or it issued no refresh token.
        case none
        /// The provider no longer accepts the refresh token: a new sign-in helps.
        case ended
        case unreachable
        /// The provider's answer cannot be used, or it does not know our client.
        case refused
    }

    /// An identity of a person.
    private struct Place: Hashable {
        let personID: String
        let provider: String
    }

    /// How many seconds before its expiry a token is no longer used.
    private static let margin: Int64 = 30

    init(accounts: AccountStore, directory: ProviderDirectory, vault: ProviderTokens) {
        self.accounts = accounts
        self.directory = directory
        self.vault = vault
    }

    /// The access token of the account's identity at a provider. Any number of callers cause one
    /// refresh.
    func token(of personID: String, at provider: String, _ moment: Moment) async throws -> Token {
        let identities = try await accounts.identities(of: personID)
        guard let identity = identities.first(where: { sameBytes($0.provider, provider) }) else {
            throw Failure.none
        }
        let place = Place(personID: personID, provider: identity.provider)
        if let token = known[place], let origin = identity.sealedToken,
            token.origin == origin, token.expiresAt - Self.margin > moment.seconds
        {
            return token
        }
        let fetch = fetches[place] ?? start(identity, at: place, moment)
        return try await fetch.value.get()
    }

    private func start(_ identity: Identity, at place: Place, _ moment: Moment) -> Task<
        Result<Token, Failure>, Never
    > {
        let fetch = Task { () -> Result<Token, Failure> in
            let result = await refresh(identity, at: place, moment)
            fetches[place] = nil
            if case .success(let token) = result { known.insert(token, for: place) }
            switch result {
            case .failure(.unreachable), .failure(.refused): break
            default: repetitions.remove(place)
            }
            return result
        }
        fetches[place] = fetch
        return fetch
    }

    private func refresh(_ identity: Identity, at place: Place, _ moment: Moment) async
        -> Result<Token, Failure>
    {
        guard let token = vault.open(identity),
            let provider = directory.provider(of: identity)
        else { return .failure(.none) }
        do {
            let answer = try await provider.client.refresh(
                token,
                idempotencyKey: idempotencyKey(identity, at: place, moment)
            )
            var origin = identity.sealedToken
            if let successor = answer.refreshToken, successor != token {
                switch try await keep(successor, of: identity, at: place, moment) {
                case .stored(let sealed): origin = sealed
                case .overtaken: break
                case .forgotten:
                    // Signed out in the meantime: the revocation was for the token before this one.
                    _ = await provider.client.revoke(successor)
                    return .failure(.ended)
                }
            }
            let expiresAt = answer.expiresAt ?? moment.seconds + 60
            let token = Token(
                text: answer.accessToken,
                key: answer.key,
                expiresAt: expiresAt,
                origin: origin
            )
            return .success(token)
        } catch let failure as RefreshFailure {
            if let successor = failure.successor, successor != token {
                // `try?`: what cannot be stored is lost, as it was before.
                _ = try? await keep(successor, of: identity, at: place, moment)
            }
            switch failure.error.kind {
            // Only a refused token ends access; a new sign-in does not help with other errors.
            case .interactionRequired: return .failure(.ended)
            case .rejected, .misconfigured: return .failure(.refused)
            default: return .failure(.unreachable)
            }
        } catch {
            // The successor could not be stored: the token it replaces may still work.
            return .failure(.unreachable)
        }
    }

    private enum Kept {
        case stored(String)
        /// Another process stored one in the meantime.
        case overtaken
        case forgotten
    }

    /// Losing a rotated token would sign the person out of every API.
    private func keep(
        _ successor: SecretText,
        of identity: Identity,
        at place: Place,
        _ moment: Moment
    ) async throws -> Kept {
        guard let key = identity.key else { return .forgotten }
        let sealed = vault.seal(successor, for: key, at: moment)
        let change = try await accounts.keepToken(
            sealed,
            of: place.personID,
            at: place.provider,
            replacing: identity.sealedToken
        )
        if change == .changed { return .stored(sealed) }
        return try await isForgotten(key, of: place.personID) ? .forgotten : .overtaken
    }

    private func idempotencyKey(_ identity: Identity, at place: Place, _ moment: Moment) -> String {
        if let repeated = repetitions[place], repeated.origin == identity.sealedToken {
            return repeated.key
        }
        let key = moment.random.text(16)
        repetitions.insert(Repetition(origin: identity.sealedToken, key: key), for: place)
        return key
    }

    /// Whether no token of an identity is stored any more, or the identity no longer exists.
    private func isForgotten(_ key: IdentityKey, of personID: String) async throws -> Bool {
        let identities = try await accounts.identities(of: personID)
        return identities.first { $0.key == key }?.sealedToken == nil
    }
}

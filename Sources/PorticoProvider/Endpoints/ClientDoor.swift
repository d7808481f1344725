import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The phases that every endpoint for clients shares: read the form, find out who asks, count
/// wrong guesses (RFC 6749 §2.3, §2.3.1), and spend the assertion in exactly one transaction.
struct ClientDoor: Sendable {
    let authenticate: ClientAuthentication
    let grants: any GrantStore
    let guesses: RateLimiter
    let events: SecurityEvents

    /// Runs `body` for the authenticated client of a request.
    func callAsFunction<Answer>(
        _ visit: RealmVisit,
        _ body: (AuthenticatedClient, FormParameters) async throws -> Answer
    ) async throws -> Answer {
        try await self(visit, form: try await FormParameters(body: visit.request), body)
    }

    /// The same for a form that has been read already.
    func callAsFunction<Answer>(
        _ visit: RealmVisit,
        form: FormParameters,
        _ body: (AuthenticatedClient, FormParameters) async throws -> Answer
    ) async throws -> Answer {
        let credentials: PresentedCredentials
        do {
            credentials = try PresentedCredentials(
                authorization: visit.visit.authorization,
                form: form
            )
        } catch {
            let isChallenged = error.code == .invalidClient && !visit.visit.authorization.isEmpty
            throw ClientRefusal(error: error, usesAuthorizationHeader: isChallenged)
        }
        let client = try authenticated(credentials, visit)
        do {
            let answer = try await body(client, form)
            try await spend(client, visit)
            return answer
        } catch let error as OAuthError {
            try await spend(client, visit)
            throw error
        }
    }

    /// A right proof is never held back by wrong ones, unless it is a secret so short that somebody
    /// could guess it. Counted are wrong proofs: of a confidential client by client and address, so
    /// that nobody locks it out from elsewhere; all others by the address alone, so that made-up
    /// names fill no memory and lock no client out that has nothing to prove.
    private func authenticated(_ credentials: PresentedCredentials, _ visit: RealmVisit) throws
        -> AuthenticatedClient
    {
        let realm = visit.realm
        let named = credentials.claimedClientID.flatMap(realm.client(clientID:))
        let key =
            if let named, named.type == .confidential {
                LimitKey("client", realm.realm.id, named.id, visit.visit.address)
            } else {
                LimitKey("address", realm.realm.id, visit.visit.address)
            }
        let verdict = guesses.check(key, at: visit.moment.now)
        do {
            let client = try authenticate(credentials, in: realm, at: visit.moment)
            if case .wait(let seconds) = verdict, credentials.isGuessable {
                throw TooManyRequests(seconds: seconds)
            }
            return client
        } catch let error as OAuthError {
            guesses.countFailure(key, at: visit.moment.now)
            events.clientRefused(named?.clientID, visit)
            if case .wait(let seconds) = verdict { throw TooManyRequests(seconds: seconds) }
            throw ClientRefusal(
                error: error,
                usesAuthorizationHeader: credentials.usesAuthorizationHeader
            )
        }
    }

    /// RFC 7523 §3: whatever became of the request, its assertion is not good again.
    func spend(_ client: AuthenticatedClient, _ visit: RealmVisit) async throws {
        guard let assertion = client.assertion.take() else { return }
        guard try await grants.spend(assertion, at: visit.moment.seconds) == .spent else {
            throw ClientAuthentication.refusal
        }
    }
}

/// Client authentication failed: the answer names the scheme that was tried (RFC 6749 §5.2).
struct ClientRefusal: Error {
    let error: OAuthError
    let usesAuthorizationHeader: Bool
}

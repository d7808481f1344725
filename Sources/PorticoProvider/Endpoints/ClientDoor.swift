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

    private func authenticated(_ credentials: PresentedCredentials, _ visit: RealmVisit) throws
        -> AuthenticatedClient
    {
        // Counted by client and address: nobody locks a client out from elsewhere.
        let key =
            "\(visit.realm.realm.id) \(credentials.claimedClientID ?? "") \(visit.visit.address)"
        if case .wait(let seconds) = guesses.check(key, at: visit.moment.now) {
            throw TooManyRequests(seconds: seconds)
        }
        do {
            return try authenticate(credentials, in: visit.realm, at: visit.moment)
        } catch {
            guesses.countFailure(key, at: visit.moment.now)
            events.clientRefused(credentials.claimedClientID, visit)
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

import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The steps shared by every endpoint for clients: read the form, judge the proof of possession,
/// authenticate the client, count wrong guesses (RFC 6749 §2.3, §2.3.1), and spend the assertion in
/// exactly one transaction.
struct ClientAuthenticator: Sendable {
    let authenticate: ClientAuthentication
    let proofs: ProofCheck
    let grants: GrantStore
    let guesses: RateLimiter
    let events: SecurityEvents
    /// What makes clients known that are registered nowhere; `nil`: they are not taken, and nothing
    /// is fetched.
    var documents: ClientDocuments?
    /// For an address, of strangers' clients: anyone can make one, and its key (WEB-BRUTE-2).
    let strangers = RateLimiter(burst: 600, perMinute: 600)
    /// The clients that were already logged for naming the token endpoint.
    let endpoints = SeenLately<LimitKey>(capacity: 1024)

    /// Runs `body` for the authenticated client of a request.
    ///
    /// - Parameter address: Of the endpoint, where it takes proofs of possession; `nil`: it takes
    ///   none.
    func callAsFunction<Answer>(
        _ context: RealmContext,
        at address: String?,
        _ body: (AuthenticatedClient, FormParameters) async throws -> Answer
    ) async throws -> Answer {
        try await self(context, at: address, form: try context.programForm(), body)
    }

    /// The same for a form that has already been read.
    func callAsFunction<Answer>(
        _ context: RealmContext,
        at address: String?,
        form: FormParameters,
        _ body: (AuthenticatedClient, FormParameters) async throws -> Answer
    ) async throws -> Answer {
        // Before everything that is counted or spent: a client that is told to use a nonce sends
        // the same again.
        let proof = try address.flatMap { address in try proofs(context, at: address) }
        let credentials: PresentedCredentials
        do {
            credentials = try await PresentedCredentials(
                authorization: context.authorization,
                form: form,
                takesBoth: {
                    try await context.realm.client(clientID: $0)?.compatibility
                        .contains(.repeatedSecret) ?? false
                }
            )
        } catch let error as OAuthError where error.code == .invalidClient {
            let client = try await named(form["client_id"], context.realm)
            let unproven = UnprovenClient(.unreadable, client, error: error)
            throw refusal(unproven, !context.authorization.isEmpty, context)
        } catch let error as OAuthError {
            throw ClientRefusal(error: error, usesAuthorizationHeader: false)
        }
        if let documents, let clientID = credentials.claimedClientID ?? credentials.assertedClientID
        {
            try await documents.admit(
                clientID,
                to: context.realm,
                from: context.sender,
                at: context.moment
            )
        }
        let client = try await authenticated(credentials, context).proving(proof)
        if client.assertedForEndpoint, endpoints.isFirst(LimitKey("endpoint", client.client.id)) {
            events.note(.assertionForEndpoint, context, client: client.client.clientID)
        }
        do {
            let answer: Answer
            do {
                answer = try await body(client, form)
            } catch let error as OAuthError {
                try await spend(client, context)
                throw error
            }
            try await spend(client, context)
            return answer
        } catch let unproven as UnprovenClient {
            throw refusal(unproven, credentials.usesAuthorizationHeader, context)
        }
    }

    private func named(_ clientID: String?, _ realm: LiveRealm) async throws -> Client? {
        guard let clientID else { return nil }
        return try await realm.client(clientID: clientID)
    }

    /// The answer, and the log entry, if a client did not authenticate.
    private func refusal(
        _ unproven: UnprovenClient,
        _ usesAuthorizationHeader: Bool,
        _ context: RealmContext
    ) -> ClientRefusal {
        events.note(
            .clientRefused,
            context,
            client: unproven.client?.clientID,
            reason: unproven.reason.rawValue
        )
        return ClientRefusal(
            error: unproven.error,
            usesAuthorizationHeader: usesAuthorizationHeader,
            endpoints: context.realm.realm.profile.endpoints
        )
    }

    /// A correct proof is never held up by wrong ones, unless it is a secret short enough to guess.
    /// Wrong proofs are counted: for a confidential client by client and address, so that it cannot
    /// be locked out from another address; all others by the address alone, so that invented names
    /// do not fill the memory, and do not lock out a client that has nothing to prove.
    private func authenticated(_ credentials: PresentedCredentials, _ context: RealmContext)
        async throws -> AuthenticatedClient
    {
        let realm = context.realm
        let named = try await named(credentials.claimedClientID, realm)
        let key =
            if let named, named.type == .confidential {
                LimitKey("client", realm.id, named.id, context.address)
            } else {
                LimitKey("address", realm.id, context.address)
            }
        let verdict = guesses.check(key, at: context.moment.now)
        do {
            let client = try await authenticate(credentials, in: realm, at: context.moment)
            guard documents != nil || !client.client.changesAlone else {
                throw UnprovenClient(.unknown)
            }
            // Not before: the origins that may read a refusal must not reveal which clients exist.
            context.asking.note(client.client)
            if case .wait(let seconds) = verdict, credentials.isGuessable {
                throw TooManyRequests(seconds: seconds)
            }
            return client
        } catch let unproven as UnprovenClient {
            guesses.countFailure(key, at: context.moment.now)
            let refusal = refusal(unproven, credentials.usesAuthorizationHeader, context)
            if case .wait(let seconds) = verdict { throw TooManyRequests(seconds: seconds) }
            throw refusal
        }
    }

    /// RFC 7523 §3: whatever the outcome of the request, its assertion is not accepted again.
    func spend(_ client: AuthenticatedClient, _ context: RealmContext) async throws {
        let uses = client.uses.take().filter { $0.kind == .assertion }
        guard !uses.isEmpty else { return }
        try takePlace(of: client, context)
        let outcome = try await grants.spend(uses, at: context.moment.seconds)
        if case .spentBefore(let kind) = outcome { throw client.refusal(ofRepeated: kind) }
    }

    /// For a row that any request writes, no matter who sends it, before it is written.
    func takePlace(of client: AuthenticatedClient, _ context: RealmContext) throws(TooManyRequests)
    {
        guard client.client.isOfStranger else { return }
        let key = LimitKey("stranger", context.realm.id, context.sender)
        if case .wait(let seconds) = strangers.take(key, at: context.moment.now) {
            throw TooManyRequests(seconds: seconds)
        }
    }
}

/// Client authentication failed: the answer names the scheme that was tried (RFC 6749 §5.2).
struct ClientRefusal: Refusal {
    let error: OAuthError
    let usesAuthorizationHeader: Bool
    var endpoints = RealmProfile.Endpoints.openIDConnect

    var name: String { error.code.rawValue }

    /// At those of OAuth 400, unless the header was used (RFC 6749 §5.2).
    var status: HTTPResponse.Status {
        endpoints == .oauth && !usesAuthorizationHeader ? .badRequest : error.status
    }
    var reason: String? { error.description }

    func fields(realm: String) -> HTTPFields {
        var fields = error.fields(realm: realm)
        if status == .unauthorized, usesAuthorizationHeader {
            fields[.wwwAuthenticate] = "Basic realm=\(QuotedString(realm))"
        }
        return fields
    }
}

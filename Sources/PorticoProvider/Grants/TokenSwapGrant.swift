import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Swaps a refresh token of the server that a realm comes from for tokens of its own, so that no
/// one has to sign in again (docs/decisions/0051).
///
/// The old token stands before the first generation of the new ones, and is used as those are
/// (docs/decisions/0035): a client that lost the answer gets the same again; any other second use ends what
/// the first one gave.
struct TokenSwapGrant: Sendable {
    let grants: GrantStore
    let people: PersonStore
    let issuer: TokenIssuer
    let ring: KeyRing

    /// How far the clock of the server before may have been ahead, in seconds.
    static let skew: Int64 = 60

    struct Answer: Sendable {
        let tokens: TokenAnswer
        let grant: Grant
        /// The same was answered before.
        let isRepeated: Bool
    }

    /// - Parameter idempotencyKey: The hash of the request's `Idempotency-Key`, if any.
    /// - Returns: `nil` where `request` has no token of the server before.
    /// - Throws: ``SwapRefusal``; ``ReplayRefusal`` where the token was used before;
    ///   `invalid_scope`; `unauthorized_client`.
    func callAsFunction(
        _ request: TokenRequest.Refresh,
        idempotencyKey: Hash256?,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> Answer? {
        guard let former = realm.former,
            let token = try OldRefreshToken.parse(request.refreshToken, by: former)
        else { return nil }
        guard client.client.grantTypes.contains(.refreshToken) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        let swapping = Swapping(
            token: token,
            swap: former.swap,
            key: idempotencyKey,
            client: client.client,
            realm: realm,
            moment: moment
        )
        try swapping.check()
        if let key = token.dpopKey, client.proof?.thumbprint != key { throw SwapRefusal(.bound) }
        // If another request comes first, its result is judged like any other.
        for _ in 0..<2 {
            let reading = try await grants.moved(token.moved(in: realm.realm))
            if let id = reading.grantID {
                return try await again(id, swapping, request.scope, client)
            }
            if let answer = try await swap(reading, swapping, request.scope, client) {
                return answer
            }
        }
        throw SwapRefusal(.ended)
    }

    /// - Returns: `nil` if another request came first.
    private func swap(
        _ reading: MovedReading,
        _ swapping: Swapping,
        _ requested: Scope?,
        _ client: AuthenticatedClient
    ) async throws -> Answer? {
        let person = try await person(of: swapping, reading.listed)
        try swapping.check(person.person, reading)
        var grant = try swapping.grant(for: person.person, reading.listed, ring: ring)
        grant.dpopKey = client.boundKey(in: swapping.realm)
        try await checkConsent(to: grant.scope, swapping, person.person)
        let scope = try RefreshTokenGrant.scope(
            requested,
            of: grant.scope,
            leaving: grant.scope,
            for: swapping.client
        )
        let answer = try answer(grant, person, scope, swapping, client, isRepeated: false)
        let outcome = try await grants.swap(
            swapping.token.moved(in: swapping.realm.realm),
            for: grant,
            in: swapping.session(of: grant, for: person.person),
            issuedAt: swapping.token.issuedAt,
            spending: client.uses.take(),
            at: swapping.moment.seconds
        )
        switch outcome {
        case .swapped: return answer
        case .usedBefore: return nil
        case .sessionEnded: throw SwapRefusal(.ended)
        case .personGone: throw SwapRefusal(.disabled)
        case .spentBefore(let kind): throw client.refusal(ofRepeated: kind)
        }
    }

    /// The token is used up: a client that lost the answer gets it again; otherwise the grant ends.
    private func again(
        _ id: UniqueID,
        _ swapping: Swapping,
        _ requested: Scope?,
        _ client: AuthenticatedClient
    ) async throws -> Answer {
        let now = swapping.moment.seconds
        let realm = swapping.realm.realm
        guard let reading = try await grants.grant(id: id, realmID: realm.id, at: now),
            sameBytes(reading.grant.clientID, client.client.id), reading.isLive,
            reading.grant.createdAt >= realm.notBefore, let state = reading.grant.refresh
        else { throw SwapRefusal(.ended) }
        guard state.generation == 1,
            reading.grant.wasRotated(
                by: swapping.key,
                proving: client.proof?.thumbprint,
                at: now,
                grace: realm.lifetimes.refreshGrace
            )
        else {
            let outcome = try await grants.revoke(
                id: id,
                spending: client.uses.take(),
                at: now
            )
            if case .spentBefore(let kind) = outcome { throw client.refusal(ofRepeated: kind) }
            throw ReplayRefusal(
                subject: .oldRefreshToken,
                grant: reading.grant,
                error: SwapRefusal(.ended).error
            )
        }
        let grant = try swapping.realm.refreshable(reading, of: client.client)
        let scope = try RefreshTokenGrant.scope(
            requested,
            of: reading.grant.scope,
            leaving: grant.scope,
            for: client.client
        )
        let answer = try answer(grant, reading.person, scope, swapping, client, isRepeated: true)
        try await client.spend(in: grants, at: swapping.moment)
        return answer
    }

    private func answer(
        _ grant: Grant,
        _ person: PersonWithRoles?,
        _ scope: Scope,
        _ swapping: Swapping,
        _ client: AuthenticatedClient,
        isRepeated: Bool
    ) throws -> Answer {
        let tokens = try issuer.issue(
            TokenSubject(
                realm: swapping.realm,
                client: swapping.client,
                grant: grant,
                person: person,
                scope: scope,
                dpopKey: client.proof?.thumbprint
            ),
            nonce: nil,
            generation: 1,
            at: swapping.moment
        )
        return Answer(tokens: tokens, grant: grant, isRepeated: isRepeated)
    }

    /// Whose token it is: the one whose session it is by the list; without one, the person of its
    /// `sub`, unless the client's mappers write that.
    private func person(of swapping: Swapping, _ listed: ListedSession?) async throws
        -> PersonWithRoles
    {
        let realmID = swapping.realm.id
        let writesSubject = swapping.realm.writesSubject(swapping.client)
        guard let listed else {
            // Where a mapper writes it, a person may have chosen it.
            guard !writesSubject, let subject = swapping.token.subject,
                let person = try await people.person(id: subject, realmID: realmID)
            else { throw SwapRefusal(.person) }
            return person
        }
        guard let person = try await people.person(id: listed.personID, realmID: realmID) else {
            throw SwapRefusal(.person)
        }
        if let subject = swapping.token.subject, !writesSubject {
            let own = swapping.realm.subject(of: person.person.id, for: swapping.client)
            guard sameBytes(subject, person.person.id) || sameBytes(subject, own) else {
                throw SwapRefusal(.person)
            }
        }
        return person
    }

    /// No page can ask here.
    private func checkConsent(to scope: Scope, _ swapping: Swapping, _ person: Person)
        async throws
    {
        let client = swapping.client
        guard client.requiresConsent else { return }
        guard let earlier = try await people.consent(personID: person.id, clientID: client.id),
            scope.tokens.filter(swapping.realm.isAskedFor).allSatisfy(earlier.contains)
        else { throw SwapRefusal(.consent) }
    }
}

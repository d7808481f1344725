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
struct TokenSwapGrant: TokenGrant {
    static let type = RefreshTokenGrant.type

    let provider: Provider

    /// How far the clock of the server before may have been ahead, in seconds.
    static let skew: Int64 = 60

    func takes(_ form: FormParameters, in realm: LiveRealm) -> Bool {
        guard let former = realm.former, let text = form["refresh_token"] else { return false }
        return OldRefreshToken.isMeant(by: text, of: former)
    }

    /// - Throws: ``SwapRefusal``; ``ReplayRefusal`` where the token was used before; `invalid_scope`.
    func callAsFunction(_ request: TokenRequest) async throws -> JSONObject {
        let text = try request.form.required("refresh_token")
        let requested = try request.scope
        let key = try request.idempotencyKey
        guard let former = request.realm.former,
            let token = try OldRefreshToken.parse(text, by: former)
        else { throw SwapRefusal(.malformed) }
        let swapping = Swapping(
            token: token,
            swap: former.swap,
            requested: requested,
            key: key,
            request: request
        )
        try swapping.check()
        // If another request comes first, its result is judged like any other.
        for _ in 0..<2 {
            let reading = try await provider.grants.moved(token.moved(in: request.realm.realm))
            if let id = reading.grantID { return try await again(id, swapping) }
            if let answer = try await swap(reading, swapping) { return answer }
        }
        throw SwapRefusal(.ended)
    }

    /// - Returns: `nil` if another request came first.
    private func swap(_ reading: MovedReading, _ swapping: Swapping) async throws -> JSONObject? {
        let client = swapping.request.proven
        let person = try await person(of: swapping, reading.listed)
        try swapping.check(person.person, reading)
        var grant = try swapping.grant(for: person.person, reading.listed, ring: provider.ring)
        grant.dpopKey = client.boundKey(in: swapping.realm)
        try await checkConsent(to: grant.scope, swapping, person.person)
        let answer = try await answer(grant, to: person, of: grant.scope, swapping)
        let outcome = try await provider.grants.swap(
            swapping.token.moved(in: swapping.realm.realm),
            for: grant,
            in: swapping.session(of: grant, for: person.person),
            issuedAt: swapping.token.issuedAt,
            spending: client.uses.take(),
            at: swapping.moment.seconds
        )
        switch outcome {
        case .swapped:
            note(grant, isRepeated: false, swapping.request)
            return answer
        case .usedBefore: return nil
        case .sessionEnded: throw SwapRefusal(.ended)
        case .personGone: throw SwapRefusal(.disabled)
        case .spentBefore(let kind): throw client.refusal(ofRepeated: kind)
        }
    }

    /// The token is used up: a client that lost the answer gets it again; otherwise the grant ends.
    private func again(_ id: UniqueID, _ swapping: Swapping) async throws -> JSONObject {
        let (client, realm) = (swapping.request.proven, swapping.realm)
        let now = swapping.moment.seconds
        guard let reading = try await provider.grants.grant(id: id, realmID: realm.id, at: now),
            sameBytes(reading.grant.clientID, swapping.client.id), reading.isLive,
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
            let outcome = try await provider.grants.revoke(
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
        let grant = try await realm.standing(reading, of: swapping.client)
        let answer = try await answer(grant, to: reading.person, of: reading.grant.scope, swapping)
        try await client.spend(in: provider.grants, at: swapping.moment)
        note(grant, isRepeated: true, swapping.request)
        return answer
    }

    /// - Parameter granted: The scope of the grant before anything of it was taken back.
    private func answer(
        _ grant: Grant,
        to person: PersonWithRoles?,
        of granted: Scope,
        _ swapping: Swapping
    ) async throws -> JSONObject {
        let scope = try RefreshTokenGrant.scope(
            swapping.requested,
            of: granted,
            leaving: grant.scope,
            for: swapping.client,
            in: swapping.realm
        )
        return try await provider.issue(grant, to: person, scope: scope, for: swapping.request)
    }

    private func note(_ grant: Grant, isRepeated: Bool, _ request: TokenRequest) {
        provider.events.note(
            isRepeated ? .swapRepeated : .swapped,
            request.context,
            of: grant,
            client: request.client.clientID
        )
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
                let person = try await provider.people.person(id: subject, realmID: realmID)
            else { throw SwapRefusal(.person) }
            return person
        }
        guard let person = try await provider.people.person(id: listed.personID, realmID: realmID)
        else {
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
        guard
            let earlier = try await provider.people.consent(
                personID: person.id,
                clientID: client.id
            ),
            earlier.covers(
                Scope(tokens: scope.tokens.filter(swapping.realm.isAskedFor)),
                of: client
            )
        else { throw SwapRefusal(.consent) }
    }
}

/// An old refresh token was not swapped. The client reads ``error``, which is the same whatever the
/// reason; the operator reads the reason in the log, and how often in `portico events --count`.
struct SwapRefusal: Error {
    let reason: Reason

    init(_ reason: Reason) {
        self.reason = reason
    }

    let error = OAuthError(.invalidGrant, "The refresh token is unknown, expired or revoked.")

    /// In the words of the log; docs/migrating-from-keycloak.md explains each.
    enum Reason: String, CaseIterable, Sendable {
        /// The key that it names did not make it, or by another algorithm.
        case signature
        case issuer
        /// Neither a refresh token nor an offline token.
        case kind = "type"
        case malformed
        /// The time for swaps is over.
        case closed
        /// Issued to another client, or to one that did not come with the realm.
        case client
        case expired
        case notYetValid = "not_yet_valid"
        /// Issued before all tokens of its realm, client or person were revoked.
        case notBefore = "not_before"
        /// It is bound to a key that was not proved, or to something that cannot be proved here.
        case bound
        /// No one has this `sub`, and no list says whose session it is.
        case person = "unknown_person"
        /// Disabled, or signed out everywhere since.
        case disabled
        /// Its session is on no list of those that were alive.
        case unlisted
        /// Its session has ended here, or what it was swapped for has.
        case ended
        /// The client may not have offline access any more.
        case scope
        /// The person does not allow the client what it had.
        case consent
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Exchanges a refresh token for new tokens (RFC 6749 §6), rotating it (RFC 9700 §4.14.2).
///
/// Rotation is linear: one generation is valid. A client that rotated it last, and lost the answer,
/// gets the same successor again (docs/decisions/0035); any other reuse ends the family.
struct RefreshTokenGrant: TokenGrant {
    static let type = GrantType.refreshToken.rawValue

    let provider: Provider

    /// - Throws: `invalid_grant` if the token does not belong to this client, is no longer valid, gives
    ///   nothing any more (``LiveRealm/standing(_:of:)``)
    ///   or, as ``ReplayRefusal``, was already used; `invalid_scope` if the request exceeds what
    ///   was granted; `invalid_dpop_proof` without a proof of the key that it is bound to.
    func callAsFunction(_ request: TokenRequest) async throws -> JSONObject {
        let (realm, now) = (request.realm, request.moment.seconds)
        let text = try request.form.required("refresh_token")
        let requested = try request.scope
        let key = try request.idempotencyKey
        guard let token = RefreshToken(text) else { throw Self.unknown }
        // If another request rotates first, its result is judged like any other.
        for _ in 0..<3 {
            let reading = try await live(token, request)
            guard let state = reading.grant.refresh else { throw Self.unknown }
            let isRepeated =
                token.generation &+ 1 == state.generation
                && reading.grant.wasRotated(
                    by: key,
                    proving: request.proven.proof?.thumbprint,
                    at: now,
                    grace: realm.lifetimes.refreshGrace
                )
            // First of all, so that no other fault of the request hides a theft.
            guard isRepeated || token.generation == state.generation else {
                throw try await replay(reading.grant, request)
            }
            let grant = try await realm.standing(reading, of: request.client)
            let scope = try Self.scope(
                requested,
                of: reading.grant.scope,
                leaving: grant.scope,
                for: request.client,
                in: realm
            )
            let next = grant.rotated(with: provider.ring, to: token.generation &+ 1, now: now)
            let answer = try await provider.issue(
                next,
                to: reading.person,
                scope: scope,
                for: request
            )
            if isRepeated {
                try await request.proven.spend(in: provider.grants, at: request.moment)
                return answer
            }
            if try await rotate(token, by: key, request) { return answer }
        }
        throw Self.unknown
    }

    private static let unknown = OAuthError(
        .invalidGrant,
        "The refresh token is unknown, expired or revoked."
    )

    /// The grant of a genuine token of this client. Whatever fails changes nothing.
    private func live(_ token: RefreshToken, _ request: TokenRequest) async throws -> GrantReading {
        guard
            let reading = try await provider.grants.grant(
                of: token,
                from: request.client,
                in: request.realm,
                with: provider.ring,
                at: request.moment
            ),
            reading.isLive, reading.grant.createdAt >= request.realm.notBefore
        else { throw Self.unknown }
        // RFC 9449 §5. Before anything says whether the token was used; unless it is from before the
        // grant was bound: then its key may be a thief's, and another use says so.
        if token.generation >= reading.grant.boundSince {
            try request.proven.checkProof(of: reading.grant.dpopKey)
        }
        try request.proven.checkOwnKey(of: reading.grant)
        return reading
    }

    /// What was granted, or less (RFC 6749 §6, RFC 9700 §4.14.2), as far as it is left. Of a client
    /// whose tokens have what mappers write the scope is cut to that, and its default scopes stay: the answer
    /// does not name all of them.
    static func scope(
        _ requested: Scope?,
        of granted: Scope,
        leaving left: Scope,
        for client: Client,
        in realm: LiveRealm
    ) throws(OAuthError) -> Scope {
        guard let requested else { return left }
        if client.tokenForm != .standard {
            return Scope(tokens: (requested.tokens + client.defaultScopes).filter(left.contains))
        }
        guard requested.isSubset(of: granted) else {
            throw OAuthError(.invalidScope, "scope is wider than what was granted.")
        }
        // The answer says what it is (§5.1).
        return Scope(
            tokens: (requested.tokens + realm.unshownDefaults(of: client)).filter(left.contains)
        )
    }

    /// - Returns: `false` if another request came first (RFC 9700 §4.14.2).
    private func rotate(_ token: RefreshToken, by key: Hash256?, _ request: TokenRequest)
        async throws -> Bool
    {
        let rotation = Rotation(
            familyID: token.grantID,
            generation: token.generation,
            idempotencyKey: key,
            keyID: provider.ring.activeID.bytes
        )
        let outcome = try await provider.grants.rotate(
            rotation,
            sessionIdle: request.realm.sessionIdle,
            binding: request.proven.boundKey(in: request.realm),
            spending: request.proven.uses.take(),
            at: request.moment.seconds
        )
        switch outcome {
        case .rotated: return true
        case .outdated: return false
        case .spentBefore(let kind): throw request.proven.refusal(ofRepeated: kind)
        }
    }

    /// Ends the family: an old token is used again, by a thief or by the owner after a thief (RFC 9700
    /// §4.14.2).
    private func replay(_ grant: Grant, _ request: TokenRequest) async throws -> any Error {
        let outcome = try await provider.grants.revoke(
            id: grant.id,
            spending: request.proven.uses.take(),
            at: request.moment.seconds
        )
        if case .spentBefore(let kind) = outcome {
            return request.proven.refusal(ofRepeated: kind)
        }
        return ReplayRefusal(
            subject: .refreshToken,
            grant: grant,
            error: OAuthError(
                .invalidGrant,
                "The refresh token was used before; its grant is revoked."
            )
        )
    }
}

extension GrantStore {
    /// The grant of a genuine refresh token, in any generation, for the client that it was issued to
    /// (RFC 6749 §6, RFC 9700 §4.14.2).
    func grant(
        of token: RefreshToken,
        from client: Client,
        in realm: LiveRealm,
        with ring: KeyRing,
        at moment: Moment
    ) async throws -> GrantReading? {
        guard
            let reading = try await grant(id: token.grantID, realmID: realm.id, at: moment.seconds),
            token.isGenuine(for: reading.grant, ring: ring),
            sameBytes(reading.grant.clientID, client.id)
        else { return nil }
        return reading
    }
}

extension RefreshState {
    /// The first generation of a new grant.
    init(first moment: Moment, ring: KeyRing) {
        self.init(
            generation: 1,
            secret: moment.random.bytes(32),
            keyID: ring.activeID.bytes,
            rotatedAt: moment.seconds,
            idempotencyKey: nil
        )
    }
}

extension Grant {
    /// The grant after a rotation to `generation`. A generation that already existed keeps its key,
    /// so that its token is byte for byte the same.
    fileprivate func rotated(with ring: KeyRing, to generation: UInt32, now: Int64) -> Grant {
        guard let state = refresh, state.generation != generation else { return self }
        var grant = self
        grant.refresh?.generation = generation
        grant.refresh?.keyID = ring.activeID.bytes
        grant.refresh?.rotatedAt = now
        return grant
    }
}

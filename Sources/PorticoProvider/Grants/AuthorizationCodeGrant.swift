import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Redeems an authorization code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.6, OpenID Connect Core
/// §3.1.3).
struct AuthorizationCodeGrant: Sendable {
    let grants: GrantStore
    let people: PersonStore
    let issuer: TokenIssuer
    let ring: KeyRing

    struct Answer: Sendable {
        let tokens: TokenAnswer
        /// Where another app handed the sign-in on.
        let handedOn: HandedOn?
    }

    /// A code that opens and comes from its own client is spent by its first presentation, correct
    /// or not: whatever fails below, it cannot be tried again (docs/decisions/0033).
    ///
    /// A request without a proof of possession, where the code is bound to a key, is the exception:
    /// the client did not know, and tries again. So is a token that cannot be issued: that is no
    /// fault of the request's.
    ///
    /// - Throws: `invalid_grant` if this client may not redeem the code now, with this redirect
    ///   URI, verifier and key, as ``ReplayRefusal`` if it was already spent;
    ///   `unauthorized_client`; `invalid_client` if the assertion was already used;
    ///   `invalid_dpop_proof` if the code needs a proof, or the request's was already used.
    func callAsFunction(
        _ request: TokenRequest.AuthorizationCode,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> Answer {
        guard client.client.grantTypes.contains(.authorizationCode) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        // A code that does not open, has expired or belongs to another client writes nothing.
        let seal = AuthorizationCodeSeal(ring: ring, realmID: realm.id)
        guard
            let (code, issuedAt) = seal.open(
                request.code,
                at: moment,
                within: realm.lifetimes.code
            )
        else {
            throw OAuthError(.invalidGrant, "The code is unknown or has expired.")
        }
        // RFC 6749 §4.1.3, RFC 9700 §4.2.4: bound to the client it was issued to.
        guard sameBytes(code.clientID, client.client.id) else {
            throw OAuthError(.invalidGrant, "The code was issued to another client.")
        }
        guard code.dpopKey == nil || client.proof != nil else { throw ProofCheck.missing }
        var grant = code.grant(for: client, in: realm, ring: ring, at: moment)
        let reading = GrantReading(
            grant: grant,
            isLive: true,
            person: nil,
            allowed: client.client.requiresConsent && client.client.documented == nil
                ? try await people.consent(personID: code.personID, clientID: client.client.id)
                : nil
        )
        do throws(OAuthError) {
            try code.check(request, of: client.client, in: realm)
            // RFC 9449 §10.
            try client.checkProof(of: code.dpopKey)
            try client.checkOwnKey(of: code)
            grant = try realm.standing(reading, of: client.client)
        } catch {
            let outcome = try await grants.refuse(
                grant,
                requestID: code.requestID,
                spending: client.uses.take(),
                at: moment.seconds
            )
            switch outcome {
            case .spentBefore(let kind): throw client.refusal(ofRepeated: kind)
            // Wrong, and already spent: this is how a thief with a code but no verifier appears.
            case .replayed: throw ReplayRefusal(subject: .code, grant: grant, error: error)
            case .redeemed, .sessionEnded, .loginTokenSpent: throw error
            }
        }
        let person = try await people.person(id: code.personID, realmID: realm.id)
        let tokens = try person.map { person in
            try issuer.issue(
                TokenSubject(
                    realm: realm,
                    client: client.client,
                    grant: grant,
                    person: person,
                    scope: grant.scope,
                    dpopKey: client.proof?.thumbprint
                ),
                nonce: code.nonce,
                generation: grant.refresh?.generation,
                at: moment
            )
        }
        try check(
            try await grants.redeem(
                grant,
                requestID: code.requestID,
                issuedAt: issuedAt,
                derivedBy: code.derivation,
                of: client.client.keptDocument,
                spending: client.uses.take(),
                once: realm.use(of: code.challenge, by: client.client, at: moment),
                at: moment.seconds
            ),
            of: grant,
            from: client
        )
        guard let tokens else {
            throw OAuthError(.invalidGrant, "The person behind the code is gone.")
        }
        let handedOn = code.derivation.map {
            HandedOn(
                step: .tokenUsed,
                parentID: $0.parentID,
                personID: code.personID,
                sessionID: code.sessionID,
                target: client.client.clientID
            )
        }
        return Answer(tokens: tokens, handedOn: handedOn)
    }

    private func check(_ outcome: Redemption, of grant: Grant, from client: AuthenticatedClient)
        throws
    {
        switch outcome {
        case .redeemed: return
        // RFC 6749 §4.1.2: the store has revoked what the first redemption issued.
        case .replayed:
            throw ReplayRefusal(
                subject: .code,
                grant: grant,
                error: OAuthError(.invalidGrant, "The code was redeemed before.")
            )
        case .sessionEnded:
            throw OAuthError(.invalidGrant, "The sign-in behind the code has ended.")
        case .loginTokenSpent:
            throw OAuthError(.invalidGrant, "The login token behind the code was used before.")
        case .spentBefore(let kind): throw client.refusal(ofRepeated: kind)
        }
    }
}

extension AuthorizationCode {
    /// What the code was made for is judged again by what the client may have now (docs/decisions/0092).
    ///
    /// - Throws: `invalid_grant` if the redirect URI or verifier do not match the authorization
    ///   request, or the client has lost that redirect, or must protect its codes by now, or the realm
    ///   has ended all sessions from that time.
    fileprivate func check(
        _ request: TokenRequest.AuthorizationCode,
        of client: Client,
        in realm: LiveRealm
    ) throws(OAuthError) {
        guard authenticatedAt >= realm.notBefore else {
            throw OAuthError(.invalidGrant, "The sign-in behind the code has ended.")
        }
        // RFC 6749 §4.1.3: required, because the authorization request always had one.
        guard let redirectURI = request.redirectURI,
            ConstantTime.equal(Hash256(of: redirectURI.text).bytes, redirectHash)
        else {
            throw OAuthError(
                .invalidGrant,
                "redirect_uri is not the one of the authorization request."
            )
        }
        guard PermittedRedirect(redirectURI, of: realm.live(client)) != nil else {
            throw OAuthError(.invalidGrant, "redirect_uri is not registered any more.")
        }
        do throws(OAuthError) {
            try CodeProtectionRule(of: client).check(challenge, nonce: nonce, scope)
        } catch {
            throw OAuthError(.invalidGrant, "The code is not protected as the client must be now.")
        }
        switch (challenge, request.codeVerifier) {
        case (nil, .absent): return
        case (nil, _):
            // RFC 9700 §2.1.1: no downgrade. A verifier without a challenge cannot be checked.
            throw OAuthError(.invalidGrant, "code_verifier comes without a code_challenge.")
        case (_?, .absent):
            // RFC 9700 §2.1.1, RFC 7636 §4.6: also for a client that is not required to use PKCE.
            throw OAuthError(.invalidGrant, "code_verifier is missing.")
        case (_?, .malformed):
            throw OAuthError(.invalidGrant, "code_verifier is not 43 to 128 unreserved characters.")
        case (let challenge?, .given(let verifier)):
            // RFC 7636 §4.6.
            guard challenge.isMet(by: verifier) else {
                throw OAuthError(.invalidGrant, "code_verifier does not meet the code_challenge.")
            }
        }
    }

    /// The grant that this code represents.
    fileprivate func grant(
        for client: AuthenticatedClient,
        in realm: LiveRealm,
        ring: KeyRing,
        at moment: Moment
    ) -> Grant {
        let life = GrantLife(
            of: client.client,
            offline: scope.contains("offline_access"),
            in: realm,
            at: moment.seconds
        )
        var grant = Grant(
            id: grantID,
            realmID: realm.id,
            clientID: client.client.id,
            personID: personID,
            sessionID: sessionID,
            scope: scope,
            isOffline: life.isOffline,
            authenticatedAt: authenticatedAt,
            acr: acr,
            amr: amr,
            claims: claims.json,
            createdAt: moment.seconds,
            idleSeconds: life.idle,
            expiresAt: life.expiresAt,
            // Which clients get one is the registration's decision (RFC 9700 §4.14.2).
            refresh: client.client.grantTypes.contains(.refreshToken)
                ? RefreshState(first: moment, ring: ring) : nil
        )
        grant.hasOwnTimes = life.hasOwnTimes
        grant.dpopKey = client.boundKey(in: realm)
        grant.clientKey = client.ownKey(in: realm)
        return grant
    }
}

extension LiveRealm {
    /// At a host of the AT Protocol a challenge is good for one code a day (RFC 9700 §2.1.1: each
    /// is to be new).
    fileprivate func use(of challenge: CodeChallenge?, by client: Client, at moment: Moment)
        -> UsedAssertion?
    {
        guard realm.atProtocol != nil, let challenge else { return nil }
        return UsedAssertion(
            .challenge,
            hash: Hash256(of: "challenge\n\(realm.id)\n\(client.id)\n\(challenge.text)"),
            expiresAt: moment.seconds + 86_400
        )
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// Redeems an authorization code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.6, OpenID Connect Core
/// §3.1.3).
struct AuthorizationCodeGrant: TokenGrant {
    static let type = GrantType.authorizationCode.rawValue

    let provider: Provider
    /// The recently redeemed challenges.
    private let challenges = SeenLately<LimitKey>()

    /// A code that opens and comes from its own client is spent by its first presentation, correct
    /// or not: whatever fails below, it cannot be tried again (docs/decisions/0033).
    ///
    /// A request without a proof of possession, where the code is bound to a key, is the exception:
    /// the client did not know, and tries again. So is a token that cannot be issued: that is no
    /// fault of the request's.
    ///
    /// - Throws: `invalid_grant` if this client may not redeem the code now, with this redirect
    ///   URI, verifier and key, as ``ReplayRefusal`` if it was already spent; `invalid_client` if the
    ///   assertion was already used; `invalid_dpop_proof` if the code needs a proof, or the request's
    ///   was already used.
    func callAsFunction(_ request: TokenRequest) async throws -> JSONObject {
        let (client, realm, moment) = (request.client, request.realm, request.moment)
        let (code, issuedAt) = try opened(request)
        guard code.dpopKey == nil || request.proven.proof != nil else { throw ProofCheck.missing }
        var grant = code.grant(for: request, ring: provider.ring)
        let reading = GrantReading(
            grant: grant,
            isLive: true,
            person: nil,
            allowed: client.keepsConsent
                ? try await provider.people.consent(
                    personID: code.personID,
                    clientID: client.id,
                    notBefore: realm.notBefore
                )?.scope : nil
        )
        do {
            try code.check(request)
            // RFC 9449 §10.
            try request.proven.checkProof(of: code.dpopKey)
            try request.proven.checkOwnKey(of: code)
            grant = try await realm.standing(reading, of: client)
        } catch let error as OAuthError {
            let outcome = try await provider.grants.refuse(
                grant,
                requestID: code.requestID,
                spending: request.proven.uses.take(),
                at: moment.seconds
            )
            switch outcome {
            case .spentBefore(let kind): throw request.proven.refusal(ofRepeated: kind)
            // Wrong, and already spent: this is how a thief with a code but no verifier appears.
            case .replayed: throw ReplayRefusal(subject: .code, grant: grant, error: error)
            case .redeemed, .sessionEnded, .loginTokenSpent: throw error
            }
        }
        let person = try await provider.people.person(id: code.personID, realmID: realm.id)
        var answer: JSONObject?
        if let person {
            answer = try await provider.issue(grant, to: person, nonce: code.nonce, for: request)
        }
        try check(
            try await provider.grants.redeem(
                grant,
                requestID: code.requestID,
                issuedAt: issuedAt,
                derivedBy: code.derivation,
                of: client,
                spending: request.proven.uses.take(),
                once: realm.use(of: code.challenge, by: client, at: moment),
                at: moment.seconds
            ),
            of: grant,
            from: request.proven
        )
        guard let answer else {
            throw OAuthError(.invalidGrant, "The person behind the code is gone.")
        }
        note(code, request)
        return answer
    }

    /// A code that does not open, has expired or belongs to another client writes nothing.
    private func opened(_ request: TokenRequest) throws(OAuthError)
        -> (code: AuthorizationCode, issuedAt: Int64)
    {
        let seal = AuthorizationCodeSeal(ring: provider.ring, realmID: request.realm.id)
        guard
            let opened = seal.open(
                try request.form.required("code"),
                at: request.moment,
                within: request.realm.lifetimes.code
            )
        else {
            throw OAuthError(.invalidGrant, "The code is unknown or has expired.")
        }
        // RFC 6749 §4.1.3, RFC 9700 §4.2.4: bound to the client it was issued to.
        guard sameBytes(opened.code.clientID, request.client.id) else {
            throw OAuthError(.invalidGrant, "The code was issued to another client.")
        }
        return opened
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

    /// For the security log.
    private func note(_ code: AuthorizationCode, _ request: TokenRequest) {
        // A repeated challenge is a constant and gives no protection (RFC 9700 §2.1.1). The client's
        // developer must be told; the person did nothing wrong, so it is not refused.
        if let challenge = code.challenge?.text,
            !challenges.isFirst(LimitKey("challenge", request.client.id, challenge))
        {
            provider.events.note(
                .challengeRepeated,
                request.context,
                client: request.client.clientID
            )
        }
        guard let derivation = code.derivation else { return }
        provider.events.note(
            .loginTokenUsed,
            request.context,
            person: code.personID,
            session: code.sessionID,
            grant: derivation.parentID,
            client: request.client.clientID,
            details: ["target": .string(request.client.clientID)]
        )
    }
}

extension AuthorizationCode {
    /// What the code was made for is judged again by what the client may have now (docs/decisions/0092).
    ///
    /// - Throws: `invalid_grant` if the redirect URI or verifier do not match the authorization
    ///   request, or the client has lost that redirect, or must protect its codes by now, or the realm
    ///   has ended all sessions from that time.
    fileprivate func check(_ request: TokenRequest) throws(OAuthError) {
        guard authenticatedAt >= request.realm.notBefore else {
            throw OAuthError(.invalidGrant, "The sign-in behind the code has ended.")
        }
        // RFC 6749 §4.1.3: required, because the authorization request always had one.
        guard let redirectURI = request.form["redirect_uri"].map(RedirectURI.init),
            ConstantTime.equal(Hash256(of: redirectURI.text).bytes, redirectHash)
        else {
            throw OAuthError(
                .invalidGrant,
                "redirect_uri is not the one of the authorization request."
            )
        }
        guard PermittedRedirect(redirectURI, of: request.realm.live(request.client)) != nil else {
            throw OAuthError(.invalidGrant, "redirect_uri is not registered any more.")
        }
        do throws(OAuthError) {
            try CodeProtectionRule(of: request.client).check(challenge, nonce: nonce, scope)
        } catch {
            throw OAuthError(.invalidGrant, "The code is not protected as the client must be now.")
        }
        switch (challenge, request.form["code_verifier"]) {
        case (nil, nil): return
        case (nil, _):
            // RFC 9700 §2.1.1: no downgrade. A verifier without a challenge cannot be checked.
            throw OAuthError(.invalidGrant, "code_verifier comes without a code_challenge.")
        case (_?, nil):
            // RFC 9700 §2.1.1, RFC 7636 §4.6: also for a client that is not required to use PKCE.
            throw OAuthError(.invalidGrant, "code_verifier is missing.")
        case (let challenge?, let text?):
            guard let verifier = CodeVerifier(text) else {
                throw OAuthError(
                    .invalidGrant,
                    "code_verifier is not 43 to 128 unreserved characters."
                )
            }
            // RFC 7636 §4.6.
            guard challenge.isMet(by: verifier) else {
                throw OAuthError(.invalidGrant, "code_verifier does not meet the code_challenge.")
            }
        }
    }

    /// The grant that this code represents.
    fileprivate func grant(for request: TokenRequest, ring: KeyRing) -> Grant {
        var grant = Grant(
            id: grantID,
            to: request,
            of: personID,
            in: sessionID,
            scope: scope,
            offline: scope.contains("offline_access"),
            authenticatedAt: authenticatedAt,
            acr: acr,
            amr: amr,
            ring: ring
        )
        grant.claims = claims.json
        grant.clientKey = request.proven.ownKey(in: request.realm)
        return grant
    }
}

extension LiveRealm {
    /// A challenge that is good for one code a day (``RealmProfile/spendsChallenges``).
    fileprivate func use(of challenge: CodeChallenge?, by client: Client, at moment: Moment)
        -> SpentOnce?
    {
        guard realm.profile.spendsChallenges, let challenge else { return nil }
        return SpentOnce(
            .challenge,
            hash: Hash256(of: "challenge\n\(realm.id)\n\(client.id)\n\(challenge.text)"),
            expiresAt: moment.seconds + 86_400
        )
    }
}

package import Portico
package import PorticoBytes
package import PorticoProtocol
package import PorticoSystem

/// Signs people in at one identity provider, for a server: an attempt begins in one request and
/// ends in another, and none of it is stored here. `Portico` has the checks of the flow.
package final class UpstreamClient: Sendable {
    package let provider: IdentityProvider
    let remote: RemoteProvider
    /// The same provider, configured for verifying native identity tokens.
    let nativeRemote: RemoteProvider
    let http: ProviderHTTP
    let proof: ClientProof
    let secret: ProviderSecret?
    let random: RandomSource
    private let kept = Locked(ProviderHealth.unknown)
    /// What the provider's last ID Token for us was signed with.
    let lastAlgorithm = Locked<SignatureAlgorithm?>(nil)

    /// How far a provider's clock may be ahead of ours, in seconds. An `auth_time` further ahead is
    /// refused: it would never become too old.
    private static let clockLeeway = 60.0

    /// Nothing is fetched yet. A secret that does not fit the provider is reported by the first
    /// call that needs it, and before that by ``IdentityProvider/check(_:)``.
    package init(
        _ provider: IdentityProvider,
        secret: ProviderSecret?,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Date,
        random: RandomSource
    ) {
        self.provider = provider
        self.secret = secret
        self.random = random
        let http = ProviderHTTP(transport: transport, now: now, random: random)
        self.http = http
        proof = ClientProof(provider: provider, secret: secret, now: now, random: random)
        remote = RemoteProvider(issuer: provider.issuer, profile: provider.profile, http: http)
        if let metadata = provider.nativeMetadata {
            var profile = provider.profile
            profile.metadata = metadata
            nativeRemote = RemoteProvider(issuer: provider.issuer, profile: profile, http: http)
        } else {
            nativeRemote = remote
        }
    }

    /// The provider's state when it was last used.
    package var health: ProviderHealth {
        get { kept.withLock(\.self) }
        set { kept.withLock { $0 = newValue } }
    }

    /// Makes the secrets of a new attempt, and the address that a browser opens for it. The request is
    /// pushed to the provider first if that wants it, or takes it and binds tokens (RFC 9126 §2).
    ///
    /// - Returns: The attempt, with what a JSON caller is told: the scopes and the client ID.
    /// - Throws: misconfigured if the provider does not accept the redirect URI; every error of
    ///   fetching the metadata and of pushing the request.
    package func begin(
        redirectURI: String,
        _ request: UpstreamRequest = UpstreamRequest(),
        at moment: Moment
    ) async throws(SignInError) -> (
        attempt: Attempt, address: String, scopes: [String], clientID: String
    ) {
        guard provider.permits(redirectURI: redirectURI) else {
            throw SignInError(.misconfigured(.redirectInvalid))
        }
        do {
            let attempt = Attempt(
                id: moment.id(),
                provider: provider.name,
                issuer: provider.canonicalIssuer,
                startedAt: moment.seconds,
                maxAge: provider.tellsAuthTime ? request.maxAge : nil,
                secrets: FlowSecrets(redirectURI: redirectURI, random: moment.random),
                key: try newKey(at: moment)
            )
            let address = try await self.flow(of: attempt).pushedAddress(
                for: request.signInRequest(to: provider),
                scopes: provider.scopes,
                further: provider.furtherParameters
                    + (request.maxAge == nil ? [] : provider.reauthentication)
            )
            return (attempt, address, provider.scopes.map(\.text), provider.clientID)
        } catch {
            note(error)
            throw error
        }
    }

    private func newKey(at moment: Moment) throws(SignInError) -> DPoPKey? {
        guard provider.bindsTokens else { return nil }
        do {
            return try DPoPKey(random: moment.random)
        } catch {
            throw SignInError(.misconfigured(.proofRefused))
        }
    }

    /// Takes the code from the parameters received on an attempt's redirect URI, in a query or a
    /// form.
    ///
    /// Checks in the order of docs/decisions/0028: identity provider, state, `iss`, `error`, code.
    /// Nothing of it is sent; at most the metadata is fetched.
    ///
    /// - Throws: rejected(.redirect), rejected(.state) and, for an error, rejected(.issuer) if it
    ///   does not answer this attempt; denied if the person or the provider refused.
    package func code(in answer: FormParameters, to attempt: Attempt) async throws(SignInError)
        -> SecretText
    {
        // One provider's answer at the address of another (attacks E04, E09).
        guard sameBytes(attempt.provider, provider.name),
            provider.issuer.isNamed(attempt.issuer)
        else { throw SignInError(.rejected(.redirect)) }
        let flow = try await flow(of: attempt)
        let parameters = FormParameters(
            answer.all.filter { !provider.ignoredParameters.contains($0.name) }
        )
        let response: AuthorizationResponse
        do {
            response = try flow.answer(in: parameters)
        } catch {
            throw SignInError(.rejected(error.check))
        }
        switch response {
        case .code(let code): return code
        case .error(let error) where provider.cancellations.contains(error.code.rawValue):
            throw SignInError(.denied)
        case .error(let error): throw SignInError(error)
        }
    }

    /// Redeems a code and identifies the person. The caller must ensure that an attempt is redeemed
    /// once.
    ///
    /// - Parameter appleUser: Apple's `user`, if it came with the code.
    package func redeem(
        _ code: SecretText,
        of attempt: Attempt,
        appleUser: String? = nil
    ) async throws(SignInError) -> ProvenPerson {
        do {
            let flow = try await flow(of: attempt)
            var person =
                try await provider.givesIDTokens
                ? identified(by: flow, code, attempt) : profiled(by: flow, code)
            if person.name == nil, provider.emailTrust == .apple {
                person.name = AppleUser(appleUser)?.name
            }
            health = .up
            return person
        } catch {
            note(error)
            throw error
        }
    }

    func flow(of attempt: Attempt) async throws(SignInError) -> CodeFlow {
        CodeFlow(
            provider: remote,
            metadata: try await remote.metadata(),
            client: flowClient(provider.clientID),
            secrets: attempt.secrets,
            key: attempt.key,
            http: http
        )
    }

    private func flowClient(_ clientID: String) -> FlowClient {
        let proof = proof
        var client = FlowClient(id: clientID) { metadata throws(SignInError) in
            try proof.identification(of: clientID, at: metadata)
        }
        client.trustedAudiences = provider.trustedAudiences
        return client
    }

    /// Identifies by an ID Token, and gets missing claims from the UserInfo endpoint.
    private func identified(by flow: CodeFlow, _ code: SecretText, _ attempt: Attempt)
        async throws(SignInError) -> ProvenPerson
    {
        let redemption = try await flow.redeem(code, maxAge: attempt.maxAge(at: http.now()))
        lastAlgorithm.withLock { $0 = redemption.idToken.algorithm }
        let claims = redemption.idToken.claims
        try provider.checkHostedDomain(claims.json)
        var person = ProvenPerson(
            try await completed(
                claims,
                with: SentToken(redemption.tokens.accessToken, boundTo: redemption.key),
                flow.metadata
            ),
            subject: claims.subject,
            of: provider
        )
        person.take(redemption.tokens, receivedAt: redemption.receivedAt)
        person.refreshToken = redemption.tokens.refreshToken.map {
            ForeignToken($0, of: provider.clientID, boundTo: redemption.key).written(for: provider)
        }
        if provider.tellsAuthTime, let time = claims.authTime,
            time.timeIntervalSince(redemption.receivedAt) <= Self.clockLeeway
        {
            person.authenticatedAt = NumericDate.seconds(time)
        }
        return person
    }

    /// A provider may provide name and address only at the UserInfo endpoint (OpenID Connect Core
    /// §5.4).
    private func completed(
        _ claims: IDTokenClaims,
        with token: SentToken,
        _ metadata: ProviderMetadata
    ) async throws(SignInError) -> JSONObject {
        let scopes = provider.scopes
        let lacksAddress = scopes.contains(.email) && claims.json.lacks("email")
        let lacksName = scopes.contains(.profile) && claims.json.lacks("name")
        guard provider.usesUserInfo, lacksAddress || lacksName,
            let address = metadata.userInfoEndpoint
        else { return claims.json }
        let endpoint = UserInfoEndpoint(
            address: address,
            clientID: provider.clientID,
            provider: remote,
            http: http
        )
        let further = try await endpoint.claims(with: token, of: claims.subject)
        return claims.json.completed(with: further)
    }
}

extension JSONObject {
    /// Whether a claim about the person is missing, `null`, empty or no text.
    fileprivate func lacks(_ name: String) -> Bool { string(name)?.isEmpty ?? true }

    /// Claims of the ID Token take precedence; an address is taken only together with its
    /// verification.
    fileprivate func completed(with further: JSONObject) -> JSONObject {
        var all = self
        for name in ["name", "given_name", "family_name", "picture"] where all.lacks(name) {
            all[name] = further[name]
        }
        if all.lacks("email") {
            all["email"] = further["email"]
            all["email_verified"] = further["email_verified"]
        }
        return all
    }
}

extension IdentityProvider {
    /// From the ID Token, not from the request and not from the address (PRV-G-4).
    func checkHostedDomain(_ claims: JSONObject) throws(SignInError) {
        guard !hostedDomains.isEmpty else { return }
        guard let domain = claims.string("hd"),
            hostedDomains.contains(where: { sameBytes($0, domain) })
        else { throw SignInError(.rejected(.hostedDomain)) }
    }
}

extension ProvenPerson {
    mutating func take(_ tokens: TokenResponse, receivedAt: Date) {
        refreshToken = tokens.refreshToken
        accessToken = tokens.accessToken
        accessTokenExpiresAt = tokens.expiresIn.map { NumericDate.seconds(receivedAt) + $0 }
    }
}

extension UpstreamClient {
    /// - Throws: misconfigured without an app secret.
    func graphAPI() throws(SignInError) -> FacebookGraph {
        guard let base = provider.graph, case .text(let secret)? = secret else {
            throw SignInError(.misconfigured(.providerSecret))
        }
        return FacebookGraph(base: base, appID: provider.clientID, appSecret: secret, http: http)
    }

    /// Identifies the person through the Graph API, with a token received directly from it
    /// (PRV-F-3).
    func profiled(by flow: CodeFlow, _ code: SecretText) async throws(SignInError)
        -> ProvenPerson
    {
        let tokens = try await flow.redeemUnidentified(code).tokens
        let claims = try await graphAPI().profile(with: tokens.accessToken)
        var person = try person(profiledBy: claims)
        person.take(tokens, receivedAt: http.now())
        return person
    }

    func person(profiledBy claims: JSONObject) throws(SignInError) -> ProvenPerson {
        guard let subject = claims.string("sub") else { throw SignInError(.rejected(.profile)) }
        return ProvenPerson(claims, subject: subject, of: provider)
    }
}

/// Why there is no new access token.
package struct RefreshFailure: Error {
    package let error: SignInError
    /// The refresh token of an answer that cannot be used otherwise: to be stored, because the one
    /// before it may be spent.
    package var successor: SecretText?
}

extension UpstreamClient {
    /// Gets a new access token, for the proxy to an API (RFC 6749 §6).
    ///
    /// - Parameters:
    ///   - token: From ``ProvenPerson/refreshToken`` or an earlier call.
    ///   - idempotencyKey: The key of the earlier request, if its answer was lost.
    /// - Returns: With the refresh token to store, if it changed, and with what the access token is
    ///   bound to, if anything.
    /// - Throws: interactionRequired(.sessionEnded) if the token is no longer valid.
    package func refresh(_ token: SecretText, idempotencyKey: String? = nil)
        async throws(RefreshFailure) -> (
            accessToken: SecretText, expiresAt: Int64?, refreshToken: SecretText?, key: DPoPKey?
        )
    {
        let kept = ForeignToken(token, of: provider)
        let endpoint: TokenEndpoint
        do {
            endpoint = try await tokenEndpoint(for: kept.clientID, proving: kept.key)
        } catch {
            throw RefreshFailure(error: error)
        }
        let tokens: TokenResponse
        do {
            tokens = try await endpoint.refresh(
                kept.text,
                idempotencyKey: idempotencyKey ?? random.text(16)
            ).tokens
        } catch {
            if error.isInvalidGrant {
                throw RefreshFailure(error: SignInError(.interactionRequired(.sessionEnded)))
            }
            let failure = error.signInError
            note(failure)
            guard case .unusable(_, let successor?) = error else {
                throw RefreshFailure(error: failure)
            }
            throw RefreshFailure(
                error: failure,
                successor: ForeignToken(successor, of: kept.clientID, boundTo: kept.key)
                    .written(for: provider)
            )
        }
        let now = NumericDate.seconds(http.now())
        return (
            tokens.accessToken,
            tokens.expiresIn.map { now + $0 },
            tokens.refreshToken.map {
                ForeignToken($0, of: kept.clientID, boundTo: kept.key).written(for: provider)
            },
            kept.key
        )
    }

    /// - Parameter clientID: Our client ID at the provider, or that of one of our apps.
    func tokenEndpoint(for clientID: String, proving key: DPoPKey? = nil)
        async throws(SignInError) -> TokenEndpoint
    {
        let metadata = try await remote.metadata()
        let proof = proof
        return TokenEndpoint(
            address: metadata.tokenEndpoint,
            identification: { () throws(SignInError) in
                try proof.identification(of: clientID, at: metadata)
            },
            key: key,
            http: http,
            profile: provider.profile
        )
    }

    /// Revokes a refresh token (RFC 7009; PRV-A-19).
    ///
    /// - Returns: Whether it is revoked; `false` also if the provider does not support revocation.
    package func revoke(_ token: SecretText) async -> Bool {
        let kept = ForeignToken(token, of: provider)
        let proof = proof
        do throws(SignInError) {
            let metadata = try await remote.metadata()
            guard let address = metadata.revocationEndpoint else { return false }
            let endpoint = RevocationEndpoint(
                address: address,
                identification: { () throws(SignInError) in
                    try proof.identification(of: kept.clientID, at: metadata)
                },
                key: kept.key,
                http: http
            )
            try await endpoint.revoke(kept.text, hint: "refresh_token")
            return true
        } catch {
            note(error)
            return false
        }
    }
}

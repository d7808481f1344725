package import PorticoBytes
package import PorticoProtocol
package import PorticoSystem

/// The authorization code flow of one attempt, from the address a browser opens to verified tokens
/// (RFC 6749 §4.1, OpenID Connect Core §3.1).
///
/// It keeps no state. The caller that holds the attempt must ensure that it takes one answer only:
/// ``SignIn`` in an app, a spent row on a server.
package struct CodeFlow: Sendable {
    package let provider: RemoteProvider
    package let metadata: ProviderMetadata
    package let client: FlowClient
    package let secrets: FlowSecrets
    /// What the tokens are to be bound to, if anything: made before the first request of the flow.
    let key: DPoPKey?
    let http: ProviderHTTP

    package init(
        provider: RemoteProvider,
        metadata: ProviderMetadata,
        client: FlowClient,
        secrets: FlowSecrets,
        key: DPoPKey?,
        http: ProviderHTTP
    ) {
        self.key = key
        self.provider = provider
        self.metadata = metadata
        self.client = client
        self.secrets = secrets
        self.http = http
    }

    /// The address to open in a browser (RFC 8252 §8.8). It holds no secret but the login token of
    /// `request`, if that has one. The code will be bound to the key, if there is one (RFC 9449 §10).
    ///
    /// - Parameter further: Parameters that this provider needs beyond the standards.
    func address(
        for request: SignInRequest,
        scopes: [ScopeToken],
        further: [(name: String, value: String)]
    ) -> String {
        FormEncoding.appending(
            parameters(of: request, scopes: scopes) + further
                + (key.map { [("dpop_jkt", $0.thumbprint.text)] } ?? []),
            to: metadata.authorizationEndpoint
        )
    }

    func parameters(of request: SignInRequest, scopes: [ScopeToken]) -> [(
        name: String, value: String
    )] {
        AuthorizationParameters(
            clientID: client.id,
            redirectURI: secrets.redirectURI,
            scopes: scopes,
            state: secrets.state,
            nonce: secrets.nonce,
            challenge: secrets.verifier.challenge,
            request: request,
            supportsClaims: metadata.supportsClaimsParameter
        ).all
    }

    /// Reads the parameters received on the redirect URI of this attempt, in a query or a form.
    /// Sends nothing.
    package func answer(in parameters: FormParameters) throws(AuthorizationResponse.Refusal)
        -> AuthorizationResponse
    {
        try AuthorizationResponse(parameters, expecting: expectation)
    }

    /// The requirements for an answer to this attempt.
    package var expectation: AuthorizationResponse.Expectation {
        AuthorizationResponse.Expectation(
            redirectURI: secrets.redirectURI,
            state: secrets.state,
            issuer: provider.issuer,
            isIssuerAnnounced: metadata.sendsIssuerInResponses
        )
    }

    /// The result of a redemption. Everything in it has been checked.
    package struct Redemption: Sendable {
        package let tokens: TokenResponse
        /// What they are bound to.
        package let key: DPoPKey?
        package let idToken: VerifiedIDToken
        package let idTokenText: SecretText
        package let receivedAt: Date
    }

    /// Redeems a code, and verifies the ID Token in the answer.
    ///
    /// Follows the order of OpenID Connect Core §3.1.3.5: first the OAuth response, then the ID
    /// Token, then `at_hash`; nothing is returned before all are checked.
    ///
    /// - Parameters:
    ///   - maxAge: The `max_age` of the request.
    ///   - acr: One of these is required, unless the list is empty.
    ///   - deviceSecret: What the app has of an earlier sign-in.
    package func redeem(
        _ code: SecretText,
        maxAge: Int64?,
        acr: [String] = [],
        deviceSecret: SecretText? = nil
    ) async throws(SignInError) -> Redemption {
        let answer = try await redeemUnidentified(code, deviceSecret: deviceSecret)
        let received = http.now()
        guard let token = answer.tokens.idToken else {
            throw SignInError(.rejected(.idTokenMissing))
        }
        var expected = IDTokenExpectation(
            issuer: provider.issuer,
            clientID: client.id,
            nonce: .equal(secrets.nonce)
        )
        expected.otherIssuerNames = provider.profile.otherIssuerNames
        expected.trustedAudiences = client.trustedAudiences
        expected.maxAge = maxAge
        expected.acr = acr
        expected.accessToken = answer.tokens.accessToken
        let idToken = try await IDTokenVerifier(provider: provider, now: http.now)
            .verify(token, meeting: expected, serverDate: answer.serverDate)
        return Redemption(
            tokens: answer.tokens,
            key: key,
            idToken: idToken,
            idTokenText: token,
            receivedAt: received
        )
    }

    /// Redeems a code at a provider that issues no ID Token: the answer does not identify a person.
    package func redeemUnidentified(_ code: SecretText, deviceSecret: SecretText? = nil)
        async throws(SignInError) -> TokenEndpoint.Answer
    {
        let endpoint = TokenEndpoint(
            address: metadata.tokenEndpoint,
            identification: { () throws(SignInError) in try client.identification(metadata) },
            key: key,
            http: http,
            profile: provider.profile
        )
        do {
            return try await endpoint.redeem(
                code,
                redirectURI: secrets.redirectURI,
                verifier: secrets.verifier,
                deviceSecret: deviceSecret
            )
        } catch {
            throw error.signInError
        }
    }
}

/// The secrets of one attempt, made for it and never reused (RFC 8252 §8.9, RFC 7636 §4.1, OpenID
/// Connect Core §3.1.2.1), and its redirect URI.
package struct FlowSecrets: Sendable, Equatable {
    package let redirectURI: String
    package let state: SecretText
    package let nonce: SecretText
    package let verifier: CodeVerifier

    /// New secrets.
    package init(redirectURI: String, random: RandomSource) {
        self.redirectURI = redirectURI
        state = SecretText(random.text(16))
        nonce = SecretText(random.text(16))
        verifier = CodeVerifier(random: random)
    }

    /// The secrets of a stored attempt.
    package init(
        redirectURI: String,
        state: SecretText,
        nonce: SecretText,
        verifier: CodeVerifier
    ) {
        self.redirectURI = redirectURI
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
    }
}

extension AuthorizationResponse.Refusal {
    /// The check that an answer failed.
    package var check: SignInError.Check {
        switch self {
        case .otherRedirect: .redirect
        case .otherState: .state
        case .forgedError, .otherIssuer: .issuer
        case .malformed: .response
        }
    }
}

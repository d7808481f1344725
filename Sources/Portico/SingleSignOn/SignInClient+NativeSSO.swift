import PorticoBytes
import PorticoProtocol

extension SignInClient {
    /// Signs the person in by what another app on this device has shared, without a browser, and
    /// keeps the session (OpenID Connect Native SSO §4). The session ends with the other app's, and has
    /// its key if that one's tokens are bound to one (``SignInClient/Options/dpop``).
    ///
    /// - Throws: interactionRequired(.sessionEnded) if it is good no more: sign in in the browser;
    ///   every other error of a sign-in. Nothing is stored in that case.
    public func signIn(withDevice credentials: DeviceCredentials) async throws(SignInError)
        -> Session
    {
        let provider = try remoteProvider()
        let metadata = try await provider.metadata()
        guard sameBytes(credentials.issuer, issuer) else {
            throw SignInError(.rejected(.issuer))
        }
        let verifier = IDTokenVerifier(provider: provider, now: context.now)
        let first = try await verifier.signature(of: credentials.idToken)
        var key = credentials.key
        if key == nil { key = try self.key() }
        let answer = try await exchange(credentials, proving: key, at: metadata)
        guard let text = answer.tokens.idToken else {
            throw SignInError(.rejected(.idTokenMissing))
        }
        var expected = expectation(of: provider.issuer, nonce: .unchecked)
        expected.accessToken = answer.tokens.accessToken
        let idToken = try await verifier.verify(
            text,
            meeting: expected,
            serverDate: answer.serverDate
        )
        // The same person as in the other app.
        guard let subject = first.claims.string("sub"), sameBytes(subject, idToken.claims.subject)
        else { throw SignInError(.rejected(.subject)) }
        var record = SessionRecord(
            context.random.text(16),
            answer.tokens,
            VerifiedToken(text: text, claims: idToken.claims),
            for: self,
            await provider.lasting,
            receivedAt: context.now()
        )
        record.dpopKey = key
        try await store(record)
        return Session(client: self, provider: provider, record: record)
    }

    /// The same, by what ``Session/shareDevice(in:)`` of another app has put into a storage.
    ///
    /// - Throws: interactionRequired(.signedOut) if nothing is there.
    public func signIn(withSharedDevice storage: any SessionStorage) async throws(SignInError)
        -> Session
    {
        guard let bytes = try await storage.read(), let credentials = DeviceCredentials(bytes)
        else { throw SignInError(.interactionRequired(.signedOut)) }
        return try await signIn(withDevice: credentials)
    }

    private func exchange(
        _ credentials: DeviceCredentials,
        proving key: DPoPKey?,
        at metadata: ProviderMetadata
    ) async throws(SignInError) -> TokenEndpoint.Answer {
        let endpoint = TokenEndpoint(
            address: metadata.tokenEndpoint,
            clientID: clientID,
            key: key,
            http: context.http
        )
        do {
            return try await endpoint.post([
                ("grant_type", GrantType.tokenExchange.rawValue),
                ("audience", metadata.issuer),
                ("subject_token", credentials.idToken.reveal()),
                ("subject_token_type", TokenType.idToken.rawValue),
                ("actor_token", credentials.deviceSecret.reveal()),
                ("actor_token_type", TokenType.deviceSecret.rawValue),
                ("scope", scopes.map(\.text).joined(separator: " ")),
            ])
        } catch {
            throw error.isInvalidGrant
                ? SignInError(.interactionRequired(.sessionEnded), error.signInError)
                : error.signInError
        }
    }

    /// The device secret of the stored session, which a new sign-in presents (§3.3).
    func storedDeviceSecret() async -> SecretText? {
        guard scopes.contains(.deviceSSO) else { return nil }
        // `try?`: without it the provider makes another one.
        let bytes = try? await context.storage.read()
        let record = bytes.flatMap { $0 }.flatMap(SessionRecord.init)
        guard let record, sameBytes(record.issuer, issuer) else { return nil }
        return record.deviceSecret
    }
}

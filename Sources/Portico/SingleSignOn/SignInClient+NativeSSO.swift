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

extension SignInClient {
    /// The session of an earlier run as it was stored. Uses no network, and asks no one.
    public func lastKnownSession() async -> RestoredSession {
        await restore()
    }

    /// The session of an earlier run, checked at the provider.
    ///
    /// If the provider has ended the session, it is over and its tokens are deleted. If the provider
    /// cannot be reached, the session is returned as it was stored. A session without a refresh token
    /// counts as signed out once its access token has expired or is refused; its record stays.
    public func currentSession() async -> RestoredSession {
        let restored = await restore()
        guard case .signedIn(let session) = restored else { return restored }
        do throws(SignInError) {
            try await session.check()
        } catch {
            if error.kind == .storage(.locked) { return .locked(.locked) }
            if case .interactionRequired = error.kind, !session.isRenewable { return .signedOut }
            // Without an answer, the session is assumed to be live.
            return session.isActive ? restored : .signedOut
        }
        return restored
    }
}

extension Session {
    /// Checks at the provider that the session is live, and updates ``roles``.
    ///
    /// - Throws: interactionRequired if the provider has ended the session: its tokens are then
    ///   deleted. interactionRequired(.expired) if there is no refresh token, and the access token has
    ///   expired or is refused. That and every other error leave the session as it was.
    public func check() async throws(SignInError) {
        // What cannot be renewed is over with its access token, whatever the provider says.
        if !isRenewable { _ = try await freshRecord() }
        guard try await provider.metadata().userInfoEndpoint == nil else {
            _ = try await userInfo()
            return
        }
        // Nothing but a refresh tells.
        guard isRenewable else { return }
        let used = try activeRecord().accessToken
        _ = try await refresher.record(of: self, for: .replacement(of: used))
    }

    /// Whether an expired access token can be replaced.
    var isRenewable: Bool { isRefreshable || isRenewedElsewhere }
}

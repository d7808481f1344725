import PorticoBytes
import PorticoProtocol

extension Session {
    /// Makes a session from tokens that another library obtained for the same client.
    ///
    /// The tokens are used only after the ID Token is verified and the UserInfo endpoint has
    /// confirmed that the access token belongs to the same person. An expired ID Token is first
    /// replaced by a refresh; without a refresh token it is refused.
    ///
    /// Credentials of a ``Session`` in this process (``Session/credentials()``) are shared: the
    /// session they come from alone renews them, this one asks it for fresh ones, and signing out of
    /// this one leaves the other signed in.
    ///
    /// All other credentials are taken over as Bearer tokens, also with ``SignInClient/Options/dpop``,
    /// and their former holder must not use them any more. A
    /// refresh spends the given refresh token, so its successor is stored at once: if a temporary
    /// error follows, ``SignInClient/restore()`` returns the session, and the given credentials are
    /// no longer valid.
    ///
    /// - Throws: rejected(.idTokenMissing), and every error of a sign-in.
    public convenience init(adopting credentials: Credentials, by client: SignInClient)
        async throws(SignInError)
    {
        let provider = try client.remoteProvider()
        let adoption = Adoption(client: client, provider: provider)
        if let source = credentials.source {
            // Of the same storage it is the same session, and not a second one.
            if let same = try await adoption.stored(of: source) {
                self.init(client: client, provider: provider, record: same)
                return
            }
            let record = try await adoption.shared(with: source)
            try await client.store(record)
            self.init(client: client, provider: provider, record: record, source: source)
            return
        }
        let record = try await adoption.record(of: credentials)
        try await client.store(record)
        self.init(client: client, provider: provider, record: record)
    }
}

/// The checks of an adoption.
private struct Adoption {
    let client: SignInClient
    let provider: RemoteProvider

    private var verifier: IDTokenVerifier {
        IDTokenVerifier(provider: provider, now: client.context.now)
    }

    /// The record of `source`, if this client has the same storage.
    func stored(of source: Session) async throws(SignInError) -> SessionRecord? {
        let record = try source.activeRecord()
        let stored = try await client.context.storage.read().flatMap(SessionRecord.init)
        guard let stored, stored.isOf(record) else { return nil }
        // A storage that two clients share by mistake: neither may use the other's tokens.
        guard sameBytes(stored.issuer, client.issuer) else { throw SignInError(.rejected(.issuer)) }
        guard sameBytes(stored.clientID, client.clientID) else {
            throw SignInError(.rejected(.audience))
        }
        return stored
    }

    /// A record with the tokens of a live session. They are checked as those of another library.
    func shared(with source: Session) async throws(SignInError) -> SessionRecord {
        let shared = try await source.freshRecord()
        let id = client.context.random.text(16)
        // The provider may renew access tokens without a new ID Token.
        let idToken = try await verifiedThoughExpired(shared.idToken.text)
        let record = try await record(id, shared.accessToken, nil, idToken).sharing(shared)
        try await checkUserInfo(record)
        return record
    }

    func record(of credentials: Credentials) async throws(SignInError) -> SessionRecord {
        guard let text = credentials.idToken.map(SecretText.init) else {
            throw SignInError(.rejected(.idTokenMissing))
        }
        let refreshToken = credentials.refreshToken.map(SecretText.init)
        let record: SessionRecord
        do throws(SignInError) {
            let accessToken = SecretText(credentials.accessToken)
            let idToken = try await verified(text, accessToken, mustBeFresh: false)
            let id = client.context.random.text(16)
            record = try await self.record(id, accessToken, refreshToken, idToken)
        } catch {
            guard error == SignInError(.rejected(.expiry)), let refreshToken else { throw error }
            return try await refreshed(text, credentials.accessToken, refreshToken)
        }
        try await checkUserInfo(record)
        return record
    }

    /// Verifies everything but the nonce, which the other library had to check.
    private func verified(_ text: SecretText, _ accessToken: SecretText, mustBeFresh: Bool)
        async throws(SignInError) -> VerifiedToken
    {
        var expected = client.expectation(of: provider.issuer, nonce: .unchecked)
        if !mustBeFresh { expected.maximumTokenAge = nil }
        expected.accessToken = accessToken
        let verified = try await verifier.verify(text, meeting: expected, serverDate: nil)
        return VerifiedToken(text: text, claims: verified.claims)
    }

    /// Verifies everything but the expiry. The access token issued with it may have been refreshed
    /// without a new ID Token.
    private func verifiedThoughExpired(_ text: SecretText) async throws(SignInError)
        -> VerifiedToken
    {
        let signed = try await verifier.signature(of: text)
        guard let issuedAt = signed.claims["iat"].flatMap(NumericDate.date) else {
            throw SignInError(.rejected(.issuedAt))
        }
        var expected = client.expectation(of: provider.issuer, nonce: .unchecked)
        expected.maximumTokenAge = nil
        let verified = try await IDTokenVerifier(provider: provider, now: { issuedAt })
            .verify(text, meeting: expected, serverDate: nil)
        return VerifiedToken(text: text, claims: verified.claims)
    }

    private func record(
        _ id: String,
        _ accessToken: SecretText,
        _ refreshToken: SecretText?,
        _ idToken: VerifiedToken
    ) async throws(SignInError) -> SessionRecord {
        SessionRecord(
            id: id,
            issuer: client.issuer,
            clientID: client.clientID,
            accessToken: accessToken,
            receivedAt: client.context.now(),
            // Its life is unknown; the ID Token's expiry is the best guess, and a 401 corrects it.
            expiresAt: idToken.claims.expiresAt,
            refreshToken: refreshToken,
            idToken: idToken,
            original: idToken.claims,
            scope: Scope(tokens: client.scopes.map(\.text)),
            provider: await provider.lasting,
            pending: nil
        )
    }

    /// Gets new tokens for an expired ID Token, of the same person.
    private func refreshed(_ old: SecretText, _ accessToken: String, _ refreshToken: SecretText)
        async throws(SignInError) -> SessionRecord
    {
        let id = client.context.random.text(16)
        var kept = try await record(
            id,
            SecretText(accessToken),
            refreshToken,
            try await verifiedThoughExpired(old)
        )
        let answer = try await answer(to: refreshToken)
        kept.refreshToken = answer.tokens.refreshToken ?? refreshToken
        // The given refresh token is spent: its successor is stored before anything can fail.
        try await client.store(kept)
        do throws(SignInError) {
            let fresh = try await checked(answer, kept)
            try await client.store(fresh)
            try await checkUserInfo(fresh)
            return fresh
        } catch {
            if error.condemnsAnswer || error.kind == .interactionRequired(.sessionEnded) {
                await discard(kept)
            }
            throw error
        }
    }

    private func answer(to refreshToken: SecretText) async throws(SignInError)
        -> TokenEndpoint.Answer
    {
        let endpoint = TokenEndpoint(
            address: try await provider.metadata().tokenEndpoint,
            clientID: client.clientID,
            key: nil,
            http: client.context.http
        )
        do {
            return try await endpoint.refresh(
                refreshToken,
                idempotencyKey: client.context.random.text(16)
            )
        } catch {
            throw error.isInvalidGrant
                ? SignInError(.interactionRequired(.sessionEnded), error.signInError)
                : error.signInError
        }
    }

    private func checked(_ answer: TokenEndpoint.Answer, _ kept: SessionRecord)
        async throws(SignInError) -> SessionRecord
    {
        guard let text = answer.tokens.idToken else {
            throw SignInError(.rejected(.idTokenMissing))
        }
        let idToken = try await verified(text, answer.tokens.accessToken, mustBeFresh: true)
        guard sameBytes(idToken.claims.subject, kept.idToken.claims.subject) else {
            throw SignInError(.rejected(.subject))
        }
        return try await record(
            kept.id,
            answer.tokens.accessToken,
            kept.refreshToken,
            idToken
        ).refreshed(
            with: answer.tokens,
            idToken: idToken,
            provider: await provider.lasting,
            receivedAt: client.context.now()
        )
    }

    /// Revokes and deletes tokens that do not belong to the person. Anything else stored by now
    /// stays.
    private func discard(_ record: SessionRecord) async {
        _ = await RevocationEndpoint.revoke(record, at: provider, for: client)
        let storage = client.context.storage
        do throws(SignInError) {
            let lock = try await storage.lock(patience: .seconds(5))
            defer { lock.release() }
            try await lock.hold { () throws(SignInError) in
                let stored = try await storage.read().flatMap(SessionRecord.init)
                if let stored, stored.isOf(record) { try await storage.remove() }
            }
        } catch {
            // The record stays, revoked: its next use reports that the session has ended.
        }
    }

    private func checkUserInfo(_ record: SessionRecord) async throws(SignInError) {
        guard let address = try await provider.metadata().userInfoEndpoint else {
            throw SignInError(.misconfigured(.endpointMissing))
        }
        let endpoint = UserInfoEndpoint(
            address: address,
            clientID: client.clientID,
            provider: provider,
            http: client.context.http
        )
        let reply = try await endpoint.reply(to: record.sentToken)
        _ = try await endpoint.claims(in: reply, of: record.idToken.claims.subject)
    }
}

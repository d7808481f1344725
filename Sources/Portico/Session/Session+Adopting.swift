import PorticoBytes
import PorticoProtocol

extension Session {
    /// A session from tokens that another library obtained for the same client.
    ///
    /// They count only once the ID Token is verified and the UserInfo endpoint has said that the
    /// access token stands for the same person. An ID Token that has expired is replaced by a
    /// refresh first; without a refresh token it is refused.
    ///
    /// - Throws: rejected(.idTokenMissing), and whatever a sign-in can throw.
    public convenience init(adopting credentials: Credentials, by client: SignInClient)
        async throws(SignInError)
    {
        let provider = try client.remoteProvider()
        let adoption = Adoption(client: client, provider: provider)
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

    func record(of credentials: Credentials) async throws(SignInError) -> SessionRecord {
        guard let text = credentials.idToken.map(SecretText.init) else {
            throw SignInError(.rejected(.idTokenMissing))
        }
        let refreshToken = credentials.refreshToken.map(SecretText.init)
        let record: SessionRecord
        do throws(SignInError) {
            let accessToken = SecretText(credentials.accessToken)
            let idToken = try await verified(text, accessToken, mustBeFresh: false)
            record = try await self.record(accessToken, refreshToken, idToken)
        } catch {
            guard error == SignInError(.rejected(.expiry)), let refreshToken else { throw error }
            record = try await refreshed(text, refreshToken)
        }
        try await checkUserInfo(record)
        return record
    }

    /// The nonce was the other library's to check; everything else is checked.
    private func verified(_ text: SecretText, _ accessToken: SecretText, mustBeFresh: Bool)
        async throws(SignInError) -> VerifiedToken
    {
        var expected = client.expectation(of: provider.issuer, nonce: .unchecked)
        if !mustBeFresh { expected.maximumTokenAge = nil }
        expected.accessToken = accessToken
        let verified = try await verifier.verify(text, meeting: expected, serverDate: nil)
        return VerifiedToken(text: text, claims: verified.claims)
    }

    private func record(
        _ accessToken: SecretText,
        _ refreshToken: SecretText?,
        _ idToken: VerifiedToken
    ) async throws(SignInError) -> SessionRecord {
        SessionRecord(
            id: client.context.random.text(16),
            issuer: try await provider.metadata().issuer,
            clientID: client.clientID,
            accessToken: accessToken,
            receivedAt: client.context.now(),
            // Its life is not known; the ID Token's end is the best guess, and a 401 corrects it.
            expiresAt: idToken.claims.expiresAt,
            refreshToken: refreshToken,
            idToken: idToken,
            original: idToken.claims,
            scope: Scope(tokens: client.scopes.map(\.text)),
            pending: nil
        )
    }

    /// New tokens for an expired ID Token, of the same person.
    private func refreshed(_ old: SecretText, _ refreshToken: SecretText)
        async throws(SignInError) -> SessionRecord
    {
        let subject = try await verifier.signature(of: old).claims.string("sub")
        let endpoint = TokenEndpoint(
            address: try await provider.metadata().tokenEndpoint,
            clientID: client.clientID,
            http: client.context.http
        )
        let answer: TokenEndpoint.Answer
        do {
            answer = try await endpoint.refresh(
                refreshToken,
                idempotencyKey: client.context.random.text(16)
            )
        } catch {
            switch error {
            case .refused(.invalidGrant, _):
                throw SignInError(.interactionRequired(.sessionEnded))
            case .refused(let code, let retryAfter):
                throw SignInError(code, retryAfter: retryAfter)
            case .other(let error): throw error
            }
        }
        guard let text = answer.tokens.idToken else {
            throw SignInError(.rejected(.idTokenMissing))
        }
        let idToken = try await verified(text, answer.tokens.accessToken, mustBeFresh: true)
        guard let subject, sameBytes(idToken.claims.subject, subject) else {
            throw SignInError(.rejected(.subject))
        }
        return try await record(
            answer.tokens.accessToken,
            answer.tokens.refreshToken ?? refreshToken,
            idToken
        ).refreshed(with: answer.tokens, idToken: idToken, receivedAt: client.context.now())
    }

    private func checkUserInfo(_ record: SessionRecord) async throws(SignInError) {
        guard let address = try await provider.metadata().userInfoEndpoint else {
            throw SignInError(.misconfigured(.endpointMissing))
        }
        let endpoint = UserInfoEndpoint(address: address, client: client, provider: provider)
        let reply = try await endpoint.reply(to: record.accessToken)
        _ = try await endpoint.claims(in: reply, of: record.idToken.claims.subject)
    }
}

import PorticoBytes
import PorticoProtocol

/// One refresh (RFC 6749 §6), alone among all who share the storage.
extension Session {
    /// The lock is held for at most as long as a token request takes; this is longer.
    private static let patience = Duration.seconds(40)

    func refresh(for goal: Refresher.Goal) async -> Result<SessionRecord, SignInError> {
        do throws(SignInError) {
            let lock = try await client.context.storage.lock(patience: Self.patience)
            defer { lock.release() }
            return .success(try await refreshLocked(for: goal))
        } catch {
            return .failure(error)
        }
    }

    private func refreshLocked(for goal: Refresher.Goal) async throws(SignInError)
        -> SessionRecord
    {
        let stored = try await storedRecord()
        // Another process may have done it while we waited for the lock.
        if isMet(goal, by: stored) {
            guard show(stored) else { throw signedOut }
            return stored
        }
        guard let token = stored.refreshToken else {
            throw SignInError(.interactionRequired(.expired))
        }
        let request = try await prepare(stored, token)
        let answer: TokenEndpoint.Answer
        do {
            answer = try await endpoint().refresh(token, idempotencyKey: request.idempotencyKey)
        } catch {
            throw try await failure(error, of: token)
        }
        let kept = try await keepSuccessor(of: answer, in: stored, replacing: token)
        let fresh: SessionRecord
        do throws(SignInError) {
            fresh = try await checked(answer, continuing: stored)
        } catch {
            if error.condemnsAnswer { try await putBack(stored, request, insteadOf: kept) }
            throw error
        }
        try await store(fresh, replacing: kept.refreshToken)
        return fresh
    }

    /// Keeps the refresh token that has taken the place of the spent one, before anything else may
    /// fail: keys to verify the ID Token with may have to be fetched first. Nothing of the answer is
    /// used before it is checked.
    private func keepSuccessor(
        of answer: TokenEndpoint.Answer,
        in record: SessionRecord,
        replacing token: SecretText
    ) async throws(SignInError) -> SessionRecord {
        guard let successor = answer.tokens.refreshToken, successor != token,
            answer.tokens.idToken != nil
        else { return record }
        var kept = record
        kept.refreshToken = successor
        kept.pending = nil
        try await store(kept, replacing: token)
        return kept
    }

    /// All of an answer that is not the provider's to give is discarded, its refresh token too.
    private func putBack(
        _ former: SessionRecord,
        _ request: SessionRecord.PendingRefresh,
        insteadOf kept: SessionRecord
    ) async throws(SignInError) {
        guard kept.refreshToken != former.refreshToken else { return }
        var former = former
        former.pending = request
        try await store(former, replacing: kept.refreshToken)
    }

    private var signedOut: SignInError { SignInError(.interactionRequired(.signedOut)) }

    /// The session as the storage has it now.
    ///
    /// - Throws: interactionRequired(.signedOut) where it was ended or replaced elsewhere.
    private func storedRecord() async throws(SignInError) -> SessionRecord {
        let current = try activeRecord()
        let bytes = try await client.context.storage.read()
        guard let stored = bytes.flatMap(SessionRecord.init), stored.isOf(current) else {
            end(.signedOut)
            throw signedOut
        }
        return stored
    }

    private func isMet(_ goal: Refresher.Goal, by record: SessionRecord) -> Bool {
        switch goal {
        case .freshness(let seconds): record.isFresh(for: seconds, at: client.context.now())
        case .replacement(let used):
            record.accessToken != used && record.isFresh(for: 0, at: client.context.now())
        }
    }

    /// Stores the key of this refresh before the request leaves. A refresh whose answer was lost is
    /// repeated with the key that it had, so that the server can give the same answer again.
    private func prepare(_ record: SessionRecord, _ token: SecretText) async throws(SignInError)
        -> SessionRecord.PendingRefresh
    {
        if let pending = record.pending, pending.isFor(token) { return pending }
        let pending = SessionRecord.PendingRefresh(token, random: client.context.random)
        var record = record
        record.pending = pending
        try await client.context.storage.write(record.serialized())
        return pending
    }

    private func endpoint() async throws(TokenEndpoint.Failure) -> TokenEndpoint {
        do {
            return TokenEndpoint(
                address: try await provider.metadata().tokenEndpoint,
                clientID: client.clientID,
                http: client.context.http
            )
        } catch {
            throw .other(error)
        }
    }

    /// The record that the answer makes, its ID Token being checked where there is one
    /// (OpenID Connect Core §12.2).
    private func checked(_ answer: TokenEndpoint.Answer, continuing record: SessionRecord)
        async throws(SignInError) -> SessionRecord
    {
        let now = client.context.now()
        guard let text = answer.tokens.idToken else {
            return record.refreshed(with: answer.tokens, idToken: nil, receivedAt: now)
        }
        var expected = client.expectation(
            of: provider.issuer,
            nonce: .absentOr(record.original.nonce)
        )
        expected.accessToken = answer.tokens.accessToken
        expected.original = record.original
        let verified = try await IDTokenVerifier(provider: provider, now: client.context.now)
            .verify(text, meeting: expected, serverDate: answer.serverDate)
        return record.refreshed(
            with: answer.tokens,
            idToken: VerifiedToken(text: text, claims: verified.claims),
            receivedAt: now
        )
    }

    /// Stores the result before anybody sees it. One that comes after a sign-out is dropped.
    private func store(_ fresh: SessionRecord, replacing token: SecretText?)
        async throws(SignInError)
    {
        let storage = client.context.storage
        let stored: SessionRecord
        do throws(SignInError) {
            stored = try await storedRecord()
        } catch {
            if error == signedOut { await discard(fresh) }
            throw error
        }
        // Somebody wrote without the lock: theirs is as good as ours.
        guard stored.refreshToken == token else {
            throw SignInError(.transient(.busy, retryAfter: nil))
        }
        try await storage.write(fresh.serialized())
        guard show(fresh) else {
            // Signed out while it was written: the sign-out may have removed the old one only.
            try await storage.remove()
            await discard(fresh)
            throw signedOut
        }
    }

    /// Tokens that nobody will use are revoked, as far as that goes.
    private func discard(_ record: SessionRecord) async {
        _ = await RevocationEndpoint.revoke(record, at: provider, for: client)
    }

    /// Only `invalid_grant` for the refresh token that is still the current one ends a session;
    /// everything else leaves it as it was.
    private func failure(_ failure: TokenEndpoint.Failure, of token: SecretText)
        async throws(SignInError) -> SignInError
    {
        switch failure {
        case .other(let error): return error
        case .refused(.invalidGrant, _):
            guard try await storedRecord().refreshToken == token else {
                return SignInError(.transient(.busy, retryAfter: nil))
            }
            end(.sessionEnded)
            try await client.context.storage.remove()
            return SignInError(.interactionRequired(.sessionEnded))
        case .refused(let code, let retryAfter): return SignInError(code, retryAfter: retryAfter)
        }
    }
}

extension SignInError {
    /// Whether an answer is known to be wrong. Where it could not be checked, for want of keys or of
    /// a right clock, nothing is known against its refresh token.
    var condemnsAnswer: Bool {
        guard case .rejected(let check) = kind else { return false }
        return check != .key
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// The request of a refresh, and what it takes from the answer (RFC 6749 §6).
extension Session {
    func renewed(
        _ stored: SessionRecord,
        by token: SecretText,
        _ request: PendingRefresh,
        under lock: SessionLock
    ) async throws(SignInError) -> SessionRecord {
        let answer: TokenEndpoint.Answer
        do {
            answer = try await self.answer(to: token, request, of: stored)
        } catch {
            if case .unusable(_, let successor?) = error {
                _ = try await keep(successor, in: stored, replacing: token, under: lock)
            }
            throw try await failure(error, of: token, under: lock)
        }
        var kept = stored
        if answer.tokens.idToken != nil, let successor = answer.tokens.refreshToken {
            kept = try await keep(successor, in: stored, replacing: token, under: lock)
        }
        let fresh: SessionRecord
        do throws(SignInError) {
            fresh = try await checked(answer, continuing: stored)
        } catch {
            if error.condemnsAnswer {
                try await putBack(stored, request, insteadOf: kept, under: lock)
            }
            throw error
        }
        try await storeResult(fresh, replacing: kept.refreshToken, under: lock)
        return fresh
    }

    /// Stores the new refresh token before anything else can fail, because the one before it may be
    /// spent: verifying the ID Token may need keys to be fetched first, and the answer may be wrong
    /// otherwise. Nothing else of the answer is used before it is checked.
    private func keep(
        _ successor: SecretText,
        in record: SessionRecord,
        replacing token: SecretText,
        under lock: SessionLock
    ) async throws(SignInError) -> SessionRecord {
        guard successor != token else { return record }
        var kept = record
        kept.refreshToken = successor
        kept.pending = nil
        try await storeResult(kept, replacing: token, under: lock)
        return kept
    }

    /// Discards everything in an invalid answer, its refresh token too.
    private func putBack(
        _ former: SessionRecord,
        _ request: PendingRefresh,
        insteadOf kept: SessionRecord,
        under lock: SessionLock
    ) async throws(SignInError) {
        guard kept.refreshToken != former.refreshToken else { return }
        var former = former
        former.pending = request
        try await storeResult(former, replacing: kept.refreshToken, under: lock)
    }

    /// Asks where the provider was last, and elsewhere only if it has moved since.
    private func answer(
        to token: SecretText,
        _ request: PendingRefresh,
        of record: SessionRecord
    ) async throws(TokenEndpoint.Failure) -> TokenEndpoint.Answer {
        let key = request.idempotencyKey
        let deviceSecret = record.deviceSecret
        let last = try await endpoint(of: record) { provider throws(SignInError) in
            try await provider.metadata(orLast: true)
        }
        do {
            return try await last.refresh(token, idempotencyKey: key, deviceSecret: deviceSecret)
        } catch {
            guard let current = try await endpoint(of: record, after: error),
                !sameBytes(current.address, last.address)
            else { throw error }
            return try await current.refresh(token, idempotencyKey: key, deviceSecret: deviceSecret)
        }
    }

    /// Where the provider may have moved, if that may be why it failed.
    ///
    /// - Throws: If the failure would end the session, and it is not known whether the endpoint is
    ///   still the provider's.
    private func endpoint(of record: SessionRecord, after failure: TokenEndpoint.Failure)
        async throws(TokenEndpoint.Failure) -> TokenEndpoint?
    {
        if failure.isInvalidGrant {
            return try await endpoint(of: record) { provider throws(SignInError) in
                try await provider.freshMetadata()
            }
        }
        guard case .other = failure else { return nil }
        // `try?`: without new metadata, the first failure is the one to report.
        return try? await endpoint(of: record) { provider throws(SignInError) in
            try await provider.metadata()
        }
    }

    private func endpoint(
        of record: SessionRecord,
        by metadata: (RemoteProvider) async throws(SignInError) -> ProviderMetadata
    ) async throws(TokenEndpoint.Failure) -> TokenEndpoint {
        do {
            return TokenEndpoint(
                address: try await metadata(provider).tokenEndpoint,
                clientID: client.clientID,
                key: record.dpopKey,
                http: client.context.http
            )
        } catch {
            throw .other(error)
        }
    }

    /// The record after the answer, with its ID Token checked if it has one (OpenID Connect Core
    /// §12.2).
    private func checked(_ answer: TokenEndpoint.Answer, continuing record: SessionRecord)
        async throws(SignInError) -> SessionRecord
    {
        let now = client.context.now()
        guard let text = answer.tokens.idToken else {
            return record.refreshed(
                with: answer.tokens,
                idToken: nil,
                provider: await provider.lasting,
                receivedAt: now
            )
        }
        var expected = client.expectation(
            of: provider.issuer,
            nonce: .absentOr(record.original.nonce)
        )
        expected.accessToken = answer.tokens.accessToken
        expected.original = record.original
        let verified = try await IDTokenVerifier(provider: provider, now: client.context.now)
            .verify(text, meeting: expected, serverDate: answer.serverDate, lastKeysSuffice: true)
        return record.refreshed(
            with: answer.tokens,
            idToken: VerifiedToken(text: text, claims: verified.claims),
            provider: await provider.lasting,
            receivedAt: now
        )
    }

    func discard(_ record: SessionRecord) async {
        _ = await RevocationEndpoint.revoke(record, at: provider, for: client)
    }

    /// Every error but `invalid_grant` leaves the session as it was.
    private func failure(
        _ failure: TokenEndpoint.Failure,
        of token: SecretText,
        under lock: SessionLock
    ) async throws(SignInError) -> SignInError {
        guard failure.isInvalidGrant else { return failure.signInError }
        let ending = try await ending(refused: token, under: lock)
        return SignInError(ending.kind, failure.signInError)
    }
}

extension SignInError {
    /// Whether an answer may be another person's, or anyone's: a check of its ID Token failed, other
    /// than those of its times, which come last. If it could not be checked, for lack of keys,
    /// metadata or a correct clock, its refresh token may be valid.
    var condemnsAnswer: Bool {
        guard case .rejected(let check) = kind else { return false }
        return Self.tokenChecks.contains(check)
    }

    private static let tokenChecks: Set<Check> = [
        .signature, .algorithm, .issuer, .subject, .audience, .authorizedParty, .nonce,
        .accessTokenHash, .authTime, .acr, .idTokenMissing, .idTokenMalformed, .idTokenEncrypted,
    ]
}

/// A refresh that has no stored answer yet. It is stored before the request is sent, so that a
/// repetition has the same key.
struct PendingRefresh: Sendable, Equatable {
    let idempotencyKey: String
    /// The SHA-256 of the refresh token that is being exchanged, as base64url.
    let tokenHash: String

    init(idempotencyKey: String, tokenHash: String) {
        self.idempotencyKey = idempotencyKey
        self.tokenHash = tokenHash
    }

    init(_ token: SecretText, random: RandomSource) {
        idempotencyKey = random.text(16)
        tokenHash = Self.hash(token)
    }

    func isFor(_ token: SecretText) -> Bool {
        ConstantTime.equal(tokenHash, Self.hash(token))
    }

    private static func hash(_ token: SecretText) -> String {
        Base64URL.encode(Hash256(of: token.reveal()).bytes)
    }
}

/// The result that a caller needs from a refresh.
enum RefreshGoal: Sendable {
    /// A token that is as fresh as this.
    case freshness(Freshness)
    /// A different token from this one, which a server refused as invalid.
    case replacement(of: SecretText)
}

/// Runs one refresh of a session at a time, for any number of callers.
///
/// A refresh does not belong to a caller: once begun, it completes and its result is stored, even
/// if every caller was cancelled. Interrupting a rotation would lose the session.
actor Refresher<Owner: KeptSession> {
    private typealias Running = Task<Result<Owner.Record, SignInError>, Never>

    private var running: Running?

    func record(of session: Owner, for goal: RefreshGoal) async throws(SignInError)
        -> Owner.Record
    {
        if case .replacement(let used) = goal {
            // An older refresh may return the very token that is to be replaced, so it cannot be
            // joined. Its failure does not concern this caller.
            while let running {
                let result = try await running.valueUnlessCancelled()
                if case .success(let record) = result, record.accessToken != used { return record }
            }
            let record = try session.activeRecord()
            if record.accessToken != used { return record }
        } else if case .freshness(let wanted) = goal, let running {
            // One that runs may have asked for less, and found it stored by another process.
            let record = try await running.valueUnlessCancelled().get()
            if record.isFresh(wanted, at: session.now()) { return record }
            try record.checkLife(for: wanted)
        }
        let running = running ?? start(session, goal)
        return try await running.valueUnlessCancelled().get()
    }

    private func start(_ session: Owner, _ goal: RefreshGoal) -> Running {
        let task = Running {
            let result = await session.refresh(for: goal)
            running = nil
            return result
        }
        running = task
        return task
    }
}

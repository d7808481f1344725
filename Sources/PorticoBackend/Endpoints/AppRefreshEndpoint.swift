import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// `POST /v1/auth/refresh`: an app renews its session (docs/decisions/0035).
///
/// Rotation is linear. A client that rotated last, and lost the answer, gets the same one again;
/// any other reuse ends the session.
struct AppRefreshEndpoint: Sendable {
    let sessions: LiveSessions
    let directory: ProviderDirectory
    let ring: KeyRing
    let headers: SecurityHeaders
    let events: SignInLog

    /// How many seconds an app without an `Idempotency-Key` may repeat a rotation.
    static let grace: Int64 = 60

    private static let refusal = ServiceError(
        .invalidGrant,
        "The refresh token is unknown, expired or revoked."
    )

    func post(_ context: SignInContext) async throws -> Response {
        let body = try BodyParameters(context)
        let key = try context.headers.idempotencyKey(
            or: ServiceError(.invalidRequest, "Idempotency-Key must be 1 to 255 bytes, once.")
        )
        guard let token = KeyedToken(try body.required("refresh_token"), .refresh) else {
            throw Self.refusal
        }
        // If another request rotates first, its result is judged like any other.
        for _ in 0..<3 {
            guard let live = try await sessions.live(id: token.sessionID, at: context.now),
                case .app(let name, let state) = live.session.form,
                token.isGenuine(.refresh, for: state, ring: ring), directory.apps.has(name)
            else { throw Self.refusal }
            guard let next = try await rotated(token, state, key, live, context) else { continue }
            return Response(
                json: try AppSessionAnswer(live: live, state: next).json(
                    ring: ring,
                    at: context.now
                ),
                headers: headers
            )
        }
        throw Self.refusal
    }

    /// The state to return, or `nil` if another request came first.
    private func rotated(
        _ token: KeyedToken,
        _ state: RefreshState,
        _ key: Hash256?,
        _ live: LiveSession,
        _ context: SignInContext
    ) async throws -> RefreshState? {
        if token.number == Int64(state.generation) {
            let rotation = Rotation(
                familyID: token.id,
                generation: state.generation,
                idempotencyKey: key,
                keyID: ring.activeID.bytes
            )
            guard try await sessions.store.rotate(rotation, at: context.now) == .rotated else {
                return nil
            }
            var next = state
            next.generation = state.generation &+ 1
            next.keyID = ring.activeID.bytes
            next.rotatedAt = context.now
            next.idempotencyKey = key
            return next
        }
        if token.number == Int64(state.generation) - 1,
            state.wasRotated(by: key, at: context.now, grace: Self.grace)
        {
            return state
        }
        // RFC 9700 §4.14.2: an old one is used again, by a thief or by the owner after a thief.
        _ = try await sessions.store.end(
            sessionID: live.session.id,
            of: live.session.personID,
            as: .refreshReplayed,
            at: context.now
        )
        events.refreshReplayed(live.session, context)
        throw Self.refusal
    }
}

package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// An app's answer for a hand-off code, a native identity token or a refresh token: a session token
/// for 15 minutes and a refresh token (docs/decisions/0029; RFC 6749 §5.1).
package struct AppSessionAnswer: Sendable {
    /// In seconds.
    static let tokenLifetime: Int64 = 900
    package static let idle: Int64 = 30 * 86_400
    package static let longest: Int64 = 180 * 86_400

    let live: LiveSession
    let state: RefreshState
    var isNew: Bool?

    package init(
        live: LiveSession,
        state: RefreshState,
        isNew: Bool? = nil
    ) {
        self.live = live
        self.state = state
        self.isNew = isNew
    }

    /// The tokens of the state's generation. They depend only on the row and the ring, so that an
    /// app that lost them gets the same ones again.
    package func json(ring: KeyRing, at now: Int64) throws -> JSONValue {
        let session = live.session
        let expiry = min(state.rotatedAt + Self.tokenLifetime, session.expiresAt)
        guard
            let token = KeyedToken(
                .session,
                of: session.id,
                number: expiry,
                state: state,
                ring: ring
            ),
            let refresh = KeyedToken(
                .refresh,
                of: session.id,
                number: Int64(state.generation),
                state: state,
                ring: ring
            )
        else { throw KeyIsGone() }
        var answer: JSONObject = [
            "session_token": .string(token.text(.session)),
            "token_type": "Bearer",
            "expires_in": .integer(max(0, expiry - now)),
            "refresh_token": .string(refresh.text(.refresh)),
            "user": AccountView.user(live),
        ]
        if let isNew { answer["is_new_user"] = .bool(isNew) }
        return .object(answer)
    }

    /// The state of a new session.
    package static func firstState(at moment: Moment, ring: KeyRing) -> RefreshState {
        RefreshState(
            generation: 1,
            secret: moment.random.bytes(32),
            keyID: ring.activeID.bytes,
            rotatedAt: moment.seconds,
            idempotencyKey: nil
        )
    }
}

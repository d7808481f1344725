import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// A session that an app has handed on to a request by a login token, which was accepted: the
/// request came by a way that no link takes, or the person has agreed.
struct HandedOnSession: Sendable, Equatable {
    /// The login token, and the grant of the app that it came from.
    let derivation: Derivation
    /// `sid`.
    let sessionID: String
    /// Whether that grant has offline access.
    let isOffline: Bool

    /// Offline access outlives the session, so an app without it hands none on.
    func scope(within scope: Scope) -> Scope {
        isOffline ? scope : Scope(tokens: scope.tokens.filter { $0 != "offline_access" })
    }
}

/// Decides what a login token in `login_hint` is good for (RFC 8693 §2.1, OpenID Connect Core
/// §3.1.2.1).
struct LoginTokens: Sendable {
    let sessions: SessionStore
    let grants: GrantStore
    let ring: KeyRing

    /// A token that is good for a request.
    struct Good: Sendable {
        let handedOn: HandedOnSession
        /// The caller's session: `auth_time` and `acr` are that one's.
        let session: LiveSession
        /// The app that the person comes from.
        let source: Client
        /// Whether the realm lets this pair of clients do without the person's word.
        let isSilent: Bool
    }

    /// - Returns: `nil` if the request is to be treated as if it had no `login_hint`, whatever the
    ///   reason.
    func good(for proven: ProvenRequest, in realm: LiveRealm, at moment: Moment) async throws
        -> Good?
    {
        guard let hint = proven.loginToken,
            let token = LoginTokenSeal(ring: ring, realmID: realm.id).open(hint, at: moment),
            sameBytes(token.targetID, proven.client.id),
            let (parent, source) = try await parent(token.grantID, in: realm, at: moment),
            let target = source.loginTokenTarget(proven.client.clientID),
            // Without it, anyone who sees the response could redeem it.
            proven.request.challenge != nil,
            let sessionID = parent.sessionID,
            let live = try await session(sessionID, in: realm, at: moment),
            try await !grants.isSpent(loginToken: token.id),
            Self.isEnough(live, for: proven, at: moment.seconds)
        else { return nil }
        return Good(
            handedOn: HandedOnSession(
                derivation: Derivation(parentID: parent.id, loginTokenID: token.id),
                sessionID: sessionID,
                isOffline: parent.isOffline
            ),
            session: live,
            source: source,
            isSilent: target.isSilent
        )
    }

    /// The live grant of the app that hands the sign-in on, as far as it is left, and the app.
    private func parent(_ id: UniqueID, in realm: LiveRealm, at moment: Moment) async throws
        -> (Grant, Client)?
    {
        let reading = try await grants.grant(id: id, realmID: realm.id, at: moment.seconds)
        guard let reading, reading.isLive,
            let source = try await realm.client(uuid: reading.grant.clientID), source.isEnabled,
            let grant = try await realm.left(of: reading, source)
        else { return nil }
        return (grant, source)
    }

    /// The session that an app has handed on to a client, as long as that app may.
    func session(
        _ handedOn: HandedOnSession,
        to clientID: String,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> LiveSession? {
        let parentID = handedOn.derivation.parentID
        guard let (_, source) = try await parent(parentID, in: realm, at: moment),
            source.loginTokenTarget(clientID) != nil
        else { return nil }
        return try await session(handedOn.sessionID, in: realm, at: moment)
    }

    /// The live session of that `sid`. How long no browser used it does not count: an app did.
    func session(_ id: String, in realm: LiveRealm, at moment: Moment) async throws
        -> LiveSession?
    {
        let live = try await sessions.live(
            id: id,
            realmID: realm.id,
            at: moment.seconds,
            idle: .max
        )
        guard let live, live.session.authenticatedAt >= realm.notBefore else { return nil }
        return live
    }

    /// A token never overrides `prompt`, `max_age` or the person that the request names.
    private static func isEnough(
        _ live: LiveSession,
        for proven: ProvenRequest,
        at now: Int64
    ) -> Bool {
        InteractionRules(
            request: proven.request,
            flow: .init(),
            session: live.session,
            isNamed: proven.asked.names(live.person),
            mustConfirmEmail: false,
            mustSetUpSecondFactor: false,
            action: nil,
            isHandedOn: true,
            isProof: false,
            needsConsent: false,
            mayConsent: false,
            lacksDID: false
        ).next(at: now) == .answer
    }
}

extension ClientRequest {
    /// `login_hint`, if it is meant as a login token.
    var loginToken: String? {
        request.loginHint.flatMap { LoginToken.isMeant(by: $0) ? $0 : nil }
    }
}

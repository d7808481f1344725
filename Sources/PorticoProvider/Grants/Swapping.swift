import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// An old token that a client has presented to be swapped, with the rules for it (docs/decisions/0051).
struct Swapping: Sendable {
    let token: OldRefreshToken
    let swap: TokenSwap
    /// The scope that the request asks for.
    let requested: Scope?
    /// The hash of its `Idempotency-Key`.
    let key: Hash256?
    let request: TokenRequest

    var client: Client { request.client }
    var realm: LiveRealm { request.realm }
    var moment: Moment { request.moment }

    /// What needs neither the person nor the session.
    func check() throws(SwapRefusal) {
        let now = moment.seconds
        guard swap.isOn, now < swap.closesAt else { throw SwapRefusal(.closed) }
        // One that was made here later under the same name has never had it.
        guard sameBytes(token.clientID, client.clientID), client.isMoved else {
            throw SwapRefusal(.client)
        }
        guard let expiresAt = token.expiresAt ?? (token.isOffline ? Int64.max : nil),
            expiresAt > now
        else { throw SwapRefusal(.expired) }
        guard token.issuedAt <= now + TokenSwapGrant.skew else { throw SwapRefusal(.notYetValid) }
        let notBefore = max(realm.notBefore, client.notBefore)
        guard token.issuedAt >= notBefore else { throw SwapRefusal(.notBefore) }
        guard !token.isBound else { throw SwapRefusal(.bound) }
        if let key = token.dpopKey, request.proven.proof?.thumbprint != key {
            throw SwapRefusal(.bound)
        }
    }

    /// What depends on the person and the session.
    func check(_ person: Person, _ reading: MovedReading) throws(SwapRefusal) {
        guard person.isEnabled else { throw SwapRefusal(.disabled) }
        guard token.issuedAt >= person.notBefore else { throw SwapRefusal(.notBefore) }
        // Nothing would hang on a browser session from before.
        if !token.isOffline, let listed = reading.listed {
            guard listed.startedAt >= notBefore(for: person) else {
                throw SwapRefusal(.notBefore)
            }
        }
        guard !reading.isEnded else { throw SwapRefusal(.ended) }
        // It is that person's (``TokenSwapGrant``).
        let isListed = reading.listed != nil
        if token.isOffline {
            guard isListed || swap.takesUnlistedOffline else { throw SwapRefusal(.unlisted) }
        } else if let listedUntil = swap.listedUntil, token.issuedAt <= listedUntil {
            // Its session was used before the list was made, and is not on it: it had ended.
            guard isListed else { throw SwapRefusal(.unlisted) }
        }
    }

    /// What the client was granted there and may have now, for as long as it could have used it there,
    /// at least until the token would have expired.
    func grant(for person: Person, _ listed: ListedSession?, ring: KeyRing) throws(SwapRefusal)
        -> Grant
    {
        let scope = Scope(tokens: token.scope.tokens.filter(client.mayHave))
        guard !token.isOffline || scope.contains("offline_access") else {
            throw SwapRefusal(.scope)
        }
        let lifetimes = realm.lifetimes
        let startedAt = listed?.startedAt ?? token.issuedAt
        let end =
            token.isOffline
            ? token.expiresAt ?? lifetimes.offlineMaximum.map { startedAt + $0 }
            : max(token.expiresAt ?? 0, startedAt + lifetimes.sessionMaximum)
        guard end.map({ $0 > moment.seconds }) ?? true else { throw SwapRefusal(.expired) }
        var refresh = RefreshState(first: moment, ring: ring)
        refresh.idempotencyKey = key
        return Grant(
            id: moment.id(),
            realmID: realm.id,
            clientID: client.id,
            personID: person.id,
            sessionID: token.sessionID,
            scope: scope,
            isOffline: token.isOffline,
            // Not `iat`: a session that began earlier must not look fresh.
            authenticatedAt: listed?.startedAt,
            acr: RealmMetadata.passwordACR,
            amr: [],
            claims: nil,
            createdAt: moment.seconds,
            idleSeconds: token.isOffline ? lifetimes.offlineIdle : lifetimes.sessionIdle,
            expiresAt: end,
            refresh: refresh
        )
    }

    /// The browser session that the grant hangs on. No browser has its cookie.
    func session(of grant: Grant, for person: Person) -> PersonSession? {
        guard !token.isOffline, let expiresAt = grant.expiresAt else { return nil }
        return PersonSession(
            id: token.sessionID,
            realmID: realm.id,
            personID: person.id,
            cookieHash: Hash256(of: moment.random.bytes(32)),
            authenticatedAt: grant.authenticatedAt ?? earliestSignIn(of: person),
            acr: RealmMetadata.passwordACR,
            amr: [],
            device: "",
            createdAt: min(token.issuedAt, grant.authenticatedAt ?? .max),
            lastSeenAt: moment.seconds,
            expiresAt: expiresAt,
            epoch: 0
        )
    }

    /// The earliest that the session of an online token can have begun, where no list says when: no
    /// token outlives its session, and one that ended at a `notBefore` got no later token. What is
    /// handed on from it must not look fresh (`max_age`).
    private func earliestSignIn(of person: Person) -> Int64 {
        let remembered = realm.lifetimes.formerSessionMaximum
        // It may have been shortened here since.
        let former = swap.sessionMaximum ?? 0
        let longest = max(former, max(realm.lifetimes.sessionMaximum, remembered))
        return max(notBefore(for: person), (token.expiresAt ?? 0) &- longest)
    }

    private func notBefore(for person: Person) -> Int64 {
        max(person.notBefore, realm.notBefore)
    }
}

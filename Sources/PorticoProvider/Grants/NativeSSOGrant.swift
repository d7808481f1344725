import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Exchanges an app's ID Token and device secret for tokens of another app on the same device
/// (OpenID Connect Native SSO §4).
struct NativeSSOGrant: Sendable {
    let provider: Provider

    /// The new grant hangs on the session of the first app, and ends with it and with the first
    /// app's grant.
    ///
    /// - Throws: `invalid_request` for other types of tokens, `invalid_target` if the audience is
    ///   not the issuer, `invalid_grant` if the pair is not good (§4.3), `unauthorized_client` if
    ///   the first app may not hand its sign-in on to this one, `invalid_scope`,
    ///   `invalid_dpop_proof` if the first app's grant is bound to a key and the request does not
    ///   prove it.
    func callAsFunction(_ exchange: TokenExchange, _ request: TokenRequest) async throws
        -> JSONObject
    {
        let (client, realm, moment) = (request.client, request.realm, request.moment)
        guard client.isSignedInto else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        guard exchange.subject.type == .idToken, let actor = exchange.actor,
            actor.type == .deviceSecret,
            exchange.requestedType == nil || exchange.requestedType == .accessToken
        else { throw OAuthError(.invalidRequest, "This exchange is not served here.") }
        guard sameBytes(exchange.audience, realm.issuer) else {
            throw OAuthError(.invalidTarget, "audience is not the issuer.")
        }
        let reading = try await grant(of: exchange.subject.text, actor.text, in: realm, at: moment)
        guard let personID = reading.grant.personID,
            let source = try await realm.client(uuid: reading.grant.clientID),
            source.isEnabled, source.loginTokenTarget(client.clientID) != nil
        else {
            throw OAuthError(
                .unauthorizedClient,
                "The first app may not hand its sign-in on to this client."
            )
        }
        let first = try await realm.standing(reading, of: source)
        guard first.scope.contains(StandardScopes.deviceSSO) else { throw Self.unknown }
        // Where the first app's grant is bound to a key, the pair alone is not enough.
        try request.proven.checkProof(of: first.dpopKey)
        let scope = try Self.scope(exchange.scope, of: first, for: client)
        try await checkConsent(to: scope, for: client, personID)
        let person = try await provider.people.person(id: personID, realmID: realm.id)
        // No page can ask for that here either.
        guard person.map({ realm.mustConfirmEmail($0.person) }) != true else {
            throw OAuthError(.invalidGrant, "The person has to confirm their address in a browser.")
        }
        guard person?.person.requiredActions.contains(RequiredAction.configureTOTP) != true else {
            throw OAuthError(
                .invalidGrant,
                "The person has to add an authenticator app in a browser."
            )
        }
        guard let person else { throw Self.unknown }
        let grant = Grant(
            id: moment.id(),
            to: request,
            of: personID,
            in: first.sessionID,
            scope: scope,
            offline: false,
            authenticatedAt: first.authenticatedAt,
            acr: first.acr,
            amr: first.amr,
            ring: provider.ring
        )
        var answer = try await provider.issue(grant, to: person, for: request)
        // Even an offline grant hands nothing on after its session: the store decides.
        let outcome = try await provider.grants.redeem(
            grant,
            requestID: moment.id(),
            issuedAt: nil,
            derivedBy: Derivation(parentID: first.id, loginTokenID: nil),
            spending: request.proven.uses.take(),
            at: moment.seconds
        )
        switch outcome {
        case .redeemed: break
        case .spentBefore(let kind): throw request.proven.refusal(ofRepeated: kind)
        case .replayed, .sessionEnded, .loginTokenSpent: throw Self.unknown
        }
        answer["issued_token_type"] = .string(TokenType.accessToken.rawValue)
        provider.events.note(
            .deviceSecretExchanged,
            request.context,
            person: personID,
            session: first.sessionID,
            grant: first.id,
            client: client.clientID,
            details: ["target": .string(client.clientID)]
        )
        return answer
    }

    private static let unknown = OAuthError(
        .invalidGrant,
        "The ID Token and the device secret do not belong together, or their session has ended."
    )

    /// The live grant that both came from (§4.3). The ID Token may have expired.
    private func grant(
        of idToken: String,
        _ deviceSecret: String,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> GrantReading {
        let seal = DeviceSecretSeal(ring: provider.ring, realmID: realm.id)
        guard let hint = IDTokenHint(idToken, of: realm, at: moment.seconds),
            let hash = hint.deviceSecretHash,
            ConstantTime.equal(hash, DeviceSecret.hash(of: deviceSecret)),
            let secret = seal.open(
                deviceSecret,
                at: moment,
                within: realm.lifetimes.sessionMaximum
            ),
            hint.sessionID.map({ sameBytes($0, secret.sessionID) }) == true,
            let reading = try await provider.grants.grant(
                id: secret.grantID,
                realmID: realm.id,
                at: moment.seconds
            ),
            reading.isLive, reading.grant.createdAt >= realm.notBefore
        else { throw Self.unknown }
        return reading
    }

    /// What the first app was granted and this client may have, or less (RFC 8693 §2.2.1). Offline
    /// access outlives the session, so it is not handed on.
    private static func scope(_ requested: Scope?, of first: Grant, for client: Client)
        throws(OAuthError) -> Scope
    {
        if let requested, !requested.isSubset(of: first.scope) {
            throw OAuthError(.invalidScope, "scope is wider than what the first app was granted.")
        }
        return Scope(
            tokens: (requested ?? first.scope).tokens.filter {
                $0 != "offline_access" && client.mayHave($0)
            }
        )
    }

    /// No page can ask here (§4.3).
    private func checkConsent(to scope: Scope, for client: Client, _ personID: String) async throws
    {
        guard client.requiresConsent else { return }
        guard
            let earlier = try await provider.people.consent(
                personID: personID,
                clientID: client.id
            ),
            earlier.covers(scope, of: client)
        else { throw OAuthError(.invalidScope, "The person has to allow this in a browser.") }
    }
}

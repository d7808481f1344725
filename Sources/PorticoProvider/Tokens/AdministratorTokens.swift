package import HTTPTypes
package import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
package import PorticoWeb

/// Finds who sends a request to the administration, by the access token of a realm that comes with it
/// (RFC 6750 §2.1, RFC 9449 §7.1).
package struct AdministratorTokens: Sendable {
    private let realms: RealmDirectory
    private let grants: GrantStore
    private let verifier: AccessTokenVerifier
    private let proofs: ProofCheck
    private let nonces: DPoPNonces
    private let clock: Clock
    private let publicURL: PublicURL

    package init(_ provider: Provider) {
        realms = provider.realms
        grants = provider.grants
        verifier = AccessTokenVerifier(grants: provider.grants)
        proofs = ProofCheck(ring: provider.ring)
        nonces = DPoPNonces(ring: provider.ring)
        clock = provider.clock
        publicURL = provider.publicURL
    }

    /// - Throws: ``Unauthenticated`` without a token too, or if its realm did not sign it, its grant is not
    ///   live, it belongs to no one, or it is bound to another key.
    @Sendable package func callAsFunction(_ context: some ServiceContext) async throws
        -> Administrator.Token
    {
        let found: PresentedToken?
        do throws(OAuthError) {
            found = try PresentedToken(context.authorization)
        } catch {
            throw refusal(error, .bearer)
        }
        guard let presented = found else { throw refusal(nil, .bearer) }
        let proof = try proof(context, with: presented)
        guard let issuer = Self.issuer(of: presented.text),
            let realm = realms.realms.first(where: { sameBytes($0.issuer, issuer) }),
            let token = try await token(presented.text, proof, in: realm, context)
        else {
            let error = OAuthError(
                .invalidToken,
                "The access token is not good here, or not any more."
            )
            throw refusal(error, presented.scheme)
        }
        return token
    }

    /// For the answer to a request with a proof, good or not (RFC 9449 §8.2).
    package func fields(for context: some ServiceContext) -> HTTPFields {
        guard context.headers[.dpop] != nil, let nonce = nonces.current(at: context.now) else {
            return [:]
        }
        return [.dpopNonce: nonce]
    }

    /// Tells tokens of those who may make realms from others at a glance, before a long body of theirs is
    /// read: the realm `master` signed it, and its time is not over. Nothing is read for it.
    ///
    /// - Parameter authorization: The header, of either scheme.
    @Sendable package func mayMakeRealms(_ authorization: String) -> Bool {
        let moment = clock.moment()
        // `try?`: whatever is wrong with it, it is no token.
        guard let presented = try? PresentedToken([authorization]),
            let master = realms.kept(named: AdminRights.master),
            let (claims, _) = verifier.signed(presented.text, by: master, at: moment),
            let end = claims.int64("exp")
        else { return false }
        return moment.seconds < end
    }

    /// Of the key that the token must be bound to; `nil`: it must be bound to none.
    private func proof(_ context: some ServiceContext, with presented: PresentedToken)
        throws -> DPoPProof?
    {
        guard presented.scheme == .dpop else { return nil }
        // A proof names the address as it was asked (RFC 9449 §4.3-9).
        let address = publicURL.origin + context.target.path
        do throws(OAuthError) {
            guard let proof = try proofs(context, at: address, token: presented.text) else {
                throw ProofCheck.missing
            }
            return proof
        } catch {
            throw refusal(error, .dpop)
        }
    }

    private func token(
        _ text: String,
        _ proof: DPoPProof?,
        in realm: LiveRealm,
        _ context: some ServiceContext
    ) async throws -> Administrator.Token? {
        let live = try await verifier.live(text, with: proof, in: realm, at: context.moment)
        guard let live, let person = live.reading.person, person.person.isEnabled else {
            return nil
        }
        let behind = try await grants.clients(behind: live.reading.grant.id)
        var clients: [Client] = []
        for id in behind {
            if let client = try await realm.client(uuid: id) { clients.append(client) }
        }
        guard clients.count == behind.count, let client = clients.first else { return nil }
        return Administrator.Token(
            realm: realm.realm,
            client: client,
            sources: Array(clients.dropFirst()),
            person: person.person,
            roles: try await Self.roles(of: person, by: live, in: realm),
            address: context.address
        )
    }

    /// The roles that the person has now, with all that they contain, as far as the token says so and
    /// its client sees them. A client's own account, and a person who uses the realm's own clients for
    /// administration, has what they have now.
    private static func roles(
        of person: PersonWithRoles,
        by live: LiveAccessToken,
        in realm: LiveRealm
    ) async throws -> Set<RoleName> {
        let all = realm.graph.roles(of: person)
        if person.person.serviceClientID != nil { return try await live.seen(of: all, in: realm) }
        guard live.client.isConsole else {
            return try await live.said(of: all, in: realm)
        }
        return live.client.tokenForm == .standard ? try await live.seen(of: all, in: realm) : all
    }

    /// The realm to ask. Nothing is believed yet: that realm's keys decide.
    private static func issuer(of token: String) -> String? {
        // `try?`: whatever is wrong, it is not a token of ours.
        try? JWT(parsing: token).uncheckedClaims().string("iss")
    }

    /// A challenge for each scheme.
    private func refusal(_ error: OAuthError?, _ scheme: PresentedToken.Scheme) -> Unauthenticated {
        let refusal = ResourceRefusal(error, scheme)
        return Unauthenticated(challenges: refusal.fields(realm: publicURL.origin + "/admin"))
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Revokes the grant of a token (RFC 7009 §2.1), with its refresh token and every access token.
/// `token_type_hint` is not needed: the two kinds of token cannot be confused.
struct TokenRevocation: Sendable {
    let grants: GrantStore
    let ring: KeyRing
    let verifier: AccessTokenVerifier

    /// An unknown token, one of another client, and one whose keys are not proven change nothing, and are
    /// no error (RFC 7009 §2.2): a token that was found somewhere, and is of no use any more, ends no
    /// session.
    ///
    /// - Returns: What was revoked, if anything.
    func callAsFunction(
        _ token: String,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> UniqueID? {
        guard let (grant, isUsable) = try await target(of: token, client, realm, moment),
            client.mayEnd(grant, byUsable: isUsable)
        else { return nil }
        let id = grant.id
        let uses = client.uses.take()
        let outcome = try await grants.revoke(id: id, spending: uses, at: moment.seconds)
        switch outcome {
        case .revoked: return id
        case .notFound: return nil
        case .spentBefore(let kind): throw client.refusal(ofRepeated: kind)
        }
    }

    /// Ends the client's part of the session of a token of the server before (docs/decisions/0051).
    func callAsFunction(
        _ token: MovedToken,
        from client: AuthenticatedClient,
        at moment: Moment
    ) async throws {
        let outcome = try await grants.endPart(
            ofSession: token,
            of: client.client.id,
            spending: client.uses.take(),
            at: moment.seconds
        )
        if case .spentBefore(let kind) = outcome { throw client.refusal(ofRepeated: kind) }
    }

    private func target(
        of text: String,
        _ client: AuthenticatedClient,
        _ realm: LiveRealm,
        _ moment: Moment
    ) async throws -> (grant: Grant, isUsable: Bool)? {
        if let token = RefreshToken(text) {
            let reading = try await grants.grant(
                of: token,
                from: client.client,
                in: realm,
                with: ring,
                at: moment
            )
            return reading.map { ($0.grant, token.generation == $0.grant.refresh?.generation) }
        }
        // RFC 7009 §2.1: a token of another client is left alone, and nothing about it is revealed.
        guard let (claims, id) = verifier.signed(text, by: realm, at: moment),
            let clientID = claims.string("azp"), sameBytes(clientID, client.client.clientID),
            let grant = try await grants.grant(
                id: id.grantID,
                realmID: realm.id,
                at: moment.seconds
            )?.grant
        else { return nil }
        return (grant, moment.seconds < claims.int64("exp") ?? 0)
    }
}

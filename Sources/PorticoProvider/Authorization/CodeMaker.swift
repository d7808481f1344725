import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Makes the authorization code for a request that needs no further step (RFC 6749 §4.1.2). Writes
/// nothing.
struct CodeMaker: Sendable {
    let ring: KeyRing

    func code(
        for request: AuthorizationRequest,
        redirect: PermittedRedirect,
        scope: Scope,
        claims: RequestedClaims,
        requestID: UniqueID,
        client: Client,
        session: BrowserSession,
        derivation: Derivation?,
        at moment: Moment
    ) throws(OAuthError) -> String {
        let code = AuthorizationCode(
            grantID: moment.id(),
            requestID: requestID,
            clientID: client.id,
            redirectHash: Hash256(of: redirect.uri.text).bytes,
            challenge: request.challenge,
            personID: session.personID,
            sessionID: session.id,
            authenticatedAt: session.authenticatedAt,
            acr: session.acr,
            amr: session.amr,
            scope: scope,
            nonce: request.nonce,
            claims: claims,
            derivation: derivation,
            dpopKey: request.dpopKey,
            // Only what was pushed has it from us.
            clientKey: client.requiresPushedRequests ? request.clientKey : nil
        )
        return try AuthorizationCodeSeal(ring: ring, realmID: session.realmID)
            .seal(code, of: client, at: moment)
    }
}

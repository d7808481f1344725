import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

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
        session: PersonSession,
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

extension PageResponder {
    /// The authorization response: a redirect, or a form that posts it (RFC 6749 §4.1.2, OAuth 2.0
    /// Form Post Response Mode §2).
    func respond(
        _ target: AuthorizationTarget,
        _ parameters: AuthorizationTarget.Parameters,
        _ context: RealmContext,
        cookies: [HTTPField] = []
    ) -> Response {
        if let location = target.location(parameters) {
            if let redirect = Redirect(to: location) {
                return Response(redirect, headers: headers, cookies: cookies)
            }
        } else if let action = PageLink(redirect: target.redirect.uri.text) {
            let page = FormPostPage(
                client: target.clientName,
                action: action,
                parameters: parameters.map { FormPostPage.Parameter($0.name, $0.value) }
            )
            let policy = PagePolicy.formPost(
                style: renderer.styleHash,
                script: FormPostPage.scriptHash
            )
            return Response(
                page: html(page, context),
                policy: policy,
                headers: headers,
                cookies: cookies
            )
        }
        // Registration accepts no redirect URI that cannot be written into a header.
        return self(ErrorPage(issue: .serverError), context, status: .internalServerError)
    }
}

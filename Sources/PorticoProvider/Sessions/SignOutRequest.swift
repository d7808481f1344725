import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// A request to sign out, with checked hint, client and redirect (OpenID Connect RP-Initiated
/// Logout §2, §3).
struct SignOutRequest: Sendable {
    let hint: IDTokenHint?
    let client: Client?
    /// As registered, except for the port of a native app's loopback address; without `state`.
    let redirect: RedirectURI?
    let state: String?

    /// - Throws: A refusal as a page, without a redirect (§4).
    init(_ form: FormParameters, of realm: LiveRealm, at moment: Moment) throws(SignOutRefusal) {
        do throws(OAuthError) {
            try form.refuseRepeats()
            // Keycloak ignores it.
            guard form["redirect_uri"] == nil || realm.realm.keycloak != nil else {
                throw OAuthError(.invalidRequest, "redirect_uri is now post_logout_redirect_uri.")
            }
            hint = try Self.hint(form["id_token_hint"], realm, moment)
            state = form["state"]
            guard (state?.utf8.count ?? 0) <= AuthorizationTarget.longestState else {
                throw OAuthError(.invalidRequest, "state is too long.")
            }
        } catch {
            throw SignOutRefusal(.request, error)
        }
        client = try Self.client(form["client_id"], hint, realm)
        redirect = try Self.redirect(form["post_logout_redirect_uri"], client, realm)
    }

    /// The browser's next address: the registered one with `state` unchanged.
    var location: String? {
        redirect.map { uri in
            FormEncoding.appending(state.map { [("state", $0)] } ?? [], to: uri.text)
        }
    }

    private static func hint(_ text: String?, _ realm: LiveRealm, _ moment: Moment)
        throws(OAuthError) -> IDTokenHint?
    {
        guard let text else { return nil }
        guard let hint = IDTokenHint(text, of: realm, at: moment.seconds) else {
            throw OAuthError(.invalidRequest, "id_token_hint is not an ID Token of this issuer.")
        }
        return hint
    }

    /// If both are given, the client must be the one that the hint was issued to (§2).
    private static func client(_ clientID: String?, _ hint: IDTokenHint?, _ realm: LiveRealm)
        throws(SignOutRefusal) -> Client?
    {
        guard let clientID = clientID ?? hint?.clientID else { return nil }
        guard hint.map({ sameBytes($0.clientID, clientID) }) ?? true else {
            let error = OAuthError(
                .invalidRequest,
                "client_id is not the audience of id_token_hint."
            )
            throw SignOutRefusal(.request, error, clientID: clientID)
        }
        guard let client = realm.client(clientID: clientID) else {
            let error = OAuthError(.invalidRequest, "client_id is not that of a registered client.")
            throw SignOutRefusal(.client, error, clientID: clientID)
        }
        return client
    }

    /// Without a known client there is no address to return to (§3), which is not an error.
    private static func redirect(_ text: String?, _ client: Client?, _ realm: LiveRealm)
        throws(SignOutRefusal) -> RedirectURI?
    {
        guard let text, let client else { return nil }
        let requested = RedirectURI(text)
        let isPermitted =
            realm.keycloakClient(client).map { $0.postLogout.permits(requested) }
            ?? client.permitsReturn(to: requested)
        guard isPermitted else {
            let error = OAuthError(
                .invalidRequest,
                "post_logout_redirect_uri is not one the client registered."
            )
            throw SignOutRefusal(.returnAddress, error, clientID: client.clientID)
        }
        return requested
    }
}

extension Client {
    /// Exactly a registered address (§3). The port of a loopback IP literal may differ, as for
    /// sign-in and for the same reason: a native app learns it only once it listens (RFC 8252 §7.3,
    /// docs/decisions/0008).
    fileprivate func permitsReturn(to requested: RedirectURI) -> Bool {
        postLogoutRedirectURIs.contains { registered in
            registered == requested || type == .public && registered.permits(requested)
        }
    }
}

/// An invalid request to sign out: it signs no one out (RP-Initiated Logout §4).
struct SignOutRefusal: Refusal {
    enum Reason: Sendable {
        case request
        case client
        case returnAddress
    }

    let reason: Reason
    let error: OAuthError
    /// As in the request, known or not.
    let clientID: String?

    init(_ reason: Reason, _ error: OAuthError, clientID: String? = nil) {
        self.reason = reason
        self.error = error
        self.clientID = clientID
    }
}

extension SignOutRefusal {
    var issue: ErrorPage.Issue {
        switch reason {
        case .request: .requestNotUnderstood
        case .client: .unknownClient
        case .returnAddress: .unknownRedirect
        }
    }

    var name: String { error.code.rawValue }
    var status: HTTPResponse.Status { .badRequest }

    func page(at moment: Moment) -> any Page {
        ErrorPage(issue: issue, details: .init(error, clientID: clientID, at: moment))
    }
}

/// Seals and opens a request to sign out, for the page that asks, or for the redirect back to us.
struct SignOutSeal: Sendable {
    private let seal: Seal

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "sign out", realm: realmID)
    }

    /// - Parameter sessionID: The session that a page asks about; `nil` if no page has asked yet.
    func seal(_ parameters: FormParameters, sessionID: String?, at moment: Moment) -> String {
        let kept = [
            "client_id", "post_logout_redirect_uri", "state", "ui_locales", "id_token_hint",
        ]
        var writer = ByteWriter()
        writer.optionalText(sessionID)
        writer.sized(FormEncoding.encode(parameters.all.filter { kept.contains($0.name) }))
        return seal.seal(writer.bytes, at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if the text is not a request of this realm, or is an hour old.
    func open(_ text: String?, at moment: Moment) -> (
        parameters: FormParameters, sessionID: String?
    )? {
        guard let text else { return nil }
        do {
            let bytes = try seal.open(text, at: moment.now, within: 3600, maximumLength: 16_000)
            var reader = ByteReader(bytes)
            let sessionID = try reader.optionalText()
            return (try FormParameters(decoding: try reader.sized()), sessionID)
        } catch {
            return nil
        }
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoStores

/// An authorization request of a known client, to a redirect URI that it registered, with every
/// parameter read and allowed (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.2).
struct ProvenRequest: Sendable {
    let client: Client
    let target: AuthorizationTarget
    let request: AuthorizationRequest
    /// The scope to be granted: what was requested and the client may have, and its defaults.
    let scope: Scope
    /// The parameters that it was read from, in the form that is carried on.
    let parameters: FormParameters
    /// What the person is to do first.
    let action: RequestedAction?
    /// The verified `id_token_hint`.
    private let hint: IDTokenHint?
    /// The account that a client of the AT Protocol names.
    private let account: NamedAccount?
    private let realm: LiveRealm

    /// ``Realm/notBefore``: what was allowed earlier counts no more.
    var notBefore: Int64 { realm.notBefore }

    /// Reads the effective parameters of a request: those of the URL, or of the pushed request.
    ///
    /// - Parameters:
    ///   - isCarried: Whether it was read before, and comes out of a seal (``parameters``).
    ///   - now: Seconds since 1970.
    init(
        _ form: FormParameters,
        in realm: LiveRealm,
        wasPushed: Bool,
        isCarried: Bool = false,
        at now: Int64
    ) throws {
        let client = try Self.client(form, realm)
        try Self.refuseObjects(form, of: client)
        let redirect = try Self.redirect(form, client, realm)
        let target = try Self.target(form, redirect, client, realm)
        self.client = client
        self.target = target
        self.realm = realm
        do throws(OAuthError) {
            guard client.grantTypes.contains(.authorizationCode) else {
                throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
            }
            // RFC 9126 §5.
            guard wasPushed || !client.requiresPushedRequests else {
                throw OAuthError(
                    .invalidRequest,
                    "request_uri is missing: this client must push its requests."
                )
            }
            let request = try AuthorizationRequest(
                form,
                ignoresUnknownPrompts: client.compatibility.contains(.unknownPrompts)
            )
            try CodeProtectionRule(of: client).check(request)
            // Initiating User Registration via OpenID Connect §4.1.
            guard !request.prompt.contains(.create) || realm.realm.registration != nil else {
                throw OAuthError(.invalidRequest, "prompt has a value that is not served here.")
            }
            self.request = request
            account = try NamedAccount(request, of: client)
            scope = try Self.granted(request, to: client)
            // Before a person enters a password, not after.
            try AuthorizationCodeSeal.expectRoom(for: scope, nonce: request.nonce, of: client)
            hint = try Self.hint(request, realm, isCarried: isCarried, now)
            parameters = Self.carried(form, request.claims, hint)
            action = RequestedAction(form, of: client)
            try Self.checkReachable(request, in: realm, by: client)
        } catch {
            throw AuthorizationRefusal.redirect(error, target)
        }
    }

    private static func client(_ form: FormParameters, _ realm: LiveRealm) throws -> Client {
        let clientID: String
        do {
            clientID = try form.required("client_id")
        } catch {
            throw AuthorizationRefusal.page(error, client: nil, nil)
        }
        guard let client = realm.client(clientID: clientID) else {
            let error = OAuthError(.invalidRequest, "client_id is not that of a registered client.")
            throw AuthorizationRefusal.page(error, client: clientID, .unknownClient)
        }
        return client
    }

    /// A request object holds the parameters that are missed otherwise: what is said is that none is read
    /// (OpenID Connect Core §6.1).
    private static func refuseObjects(_ form: FormParameters, of client: Client) throws {
        guard !form.contains("redirect_uri") else { return }
        do {
            try AuthorizationRequest.refuseUnsupported(form)
        } catch {
            throw AuthorizationRefusal.page(error, client: client.clientID, nil)
        }
    }

    /// Always required, even if only one is registered (OpenID Connect Core §3.1.2.1).
    private static func redirect(
        _ form: FormParameters,
        _ client: Client,
        _ realm: LiveRealm
    ) throws -> PermittedRedirect {
        do throws(OAuthError) {
            let requested = RedirectURI(try form.required("redirect_uri"))
            guard let redirect = PermittedRedirect(requested, of: realm.live(client)) else {
                throw OAuthError(.invalidRequest, "redirect_uri is not one the client registered.")
            }
            return redirect
        } catch {
            throw AuthorizationRefusal.page(error, client: client.clientID, .unknownRedirect)
        }
    }

    private static func target(
        _ form: FormParameters,
        _ redirect: PermittedRedirect,
        _ client: Client,
        _ realm: LiveRealm
    ) throws -> AuthorizationTarget {
        func target(_ mode: ResponseMode, _ state: String?) -> AuthorizationTarget {
            AuthorizationTarget(
                redirect: redirect,
                mode: mode,
                state: state,
                issuer: client.compatibility.contains(.noIssuer)
                    ? nil : realm.issuer,
                namesSession: !client.compatibility.contains(.noSessionState),
                clientName: client.name
            )
        }
        do throws(OAuthError) {
            let state = try form.value("state")
            guard (state?.utf8.count ?? 0) <= AuthorizationTarget.longestState else {
                throw OAuthError(.invalidRequest, "state is too long.")
            }
            // An unsupported mode must not choose how its own refusal is sent.
            guard let mode = ResponseMode(wire: try form.value("response_mode") ?? "query"),
                mode != .fragment || client.readsFragments
            else {
                throw OAuthError(
                    .invalidRequest,
                    client.readsFragments
                        ? "response_mode must be query, fragment or form_post."
                        : "response_mode must be query or form_post."
                )
            }
            return target(mode, state)
        } catch {
            // `try?`: a repeated or overlong state is not returned.
            let state = (try? form.value("state")).flatMap { $0 }
            let isReturnable = (state?.utf8.count ?? 0) <= AuthorizationTarget.longestState
            throw AuthorizationRefusal.redirect(error, target(.query, isReturnable ? state : nil))
        }
    }

    /// Unknown scope tokens, and those that the client may not have, are ignored (OpenID Connect
    /// Core §3.1.2.1); without `scope`, the client's defaults apply.
    /// Some clients expect a refusal (``Compatibility/strictScope``).
    private static func granted(_ request: AuthorizationRequest, to client: Client)
        throws(OAuthError) -> Scope
    {
        if let document = client.documented?.document {
            return try ATScope.granted(request.scope, of: document.scope).granted
        }
        let allowed = request.scope.tokens.filter(client.mayHave)
        guard
            !client.compatibility.contains(.strictScope)
                || allowed.count == request.scope.tokens.count
        else {
            throw OAuthError(.invalidScope, "scope has a token that the client may not have.")
        }
        return Scope(tokens: allowed + client.defaultScopes)
    }

    /// What a client with a document asked for and does not get, because it is not known here.
    var leftOut: [String] {
        client.documented == nil
            ? [] : request.scope.tokens.filter { !scope.contains($0) }
    }

    /// An essential `acr` that cannot be reached is an error (OpenID Connect Core §5.5.1.1).
    /// A level may have a name, and a person who reached it has reached the lower ones.
    private static func checkReachable(
        _ request: AuthorizationRequest,
        in realm: LiveRealm,
        by client: Client
    ) throws(OAuthError) {
        guard let values = request.claims?.essentialACR else { return }
        let levels = realm.acrLevels(of: client)
        let isReachable = values.contains { value in
            (levels[value] ?? Int64(value)).map { $0 <= 1 } ?? false
        }
        guard isReachable else {
            throw OAuthError(
                .unmetAuthenticationRequirements,
                "claims asks for an acr that cannot be reached."
            )
        }
    }

    private static func hint(
        _ request: AuthorizationRequest,
        _ realm: LiveRealm,
        isCarried: Bool,
        _ now: Int64
    ) throws(OAuthError) -> IDTokenHint? {
        guard let text = request.idTokenHint else { return nil }
        guard let hint = IDTokenHint(text, of: realm, isCarried: isCarried, at: now) else {
            throw OAuthError(.invalidRequest, "id_token_hint is not an ID Token of this issuer.")
        }
        return hint
    }

    /// Whether this is the person that the request names, if it names one: by `id_token_hint`
    /// (OpenID Connect Core §3.1.2.1) or by a value for `sub` (§3.1.2.2, §5.5.1). Each client has
    /// its own names for people (§8). At a host of the AT Protocol `login_hint` names one, too.
    func names(_ person: Person) -> Bool {
        let personID = person.id
        if let account { return account.isOf(person) }
        if let hint {
            let client = realm.client(clientID: hint.clientID)
            let subject = client.map { realm.subject(of: personID, for: $0) } ?? personID
            guard sameBytes(hint.subject, subject) else { return false }
        }
        let own = realm.subject(of: personID, for: client)
        return request.claims?.subjects?.contains { sameBytes($0, own) } ?? true
    }
}

extension Client {
    /// Whether a response may be sent in the fragment: only to an app that runs in the browser. A
    /// server never sees a fragment: with any other client, an attacker's link would leave the code
    /// unspent in an address that the browser passes on at the next redirect (RFC 9110 §10.2.2,
    /// docs/decisions/0041).
    ///
    /// Some adapters for browsers ask for it, whatever is registered. A public client with a
    /// document may, too: its request was pushed, with a proof of its key, so that no link of an
    /// attacker's can have chosen the mode.
    fileprivate var readsFragments: Bool {
        type == .public
            && (!webOrigins.isEmpty || compatibility.contains(.fragments) || documented != nil)
    }
}

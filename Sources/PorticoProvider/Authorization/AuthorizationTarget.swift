import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The address of an authorization response, and the parameters of every response (RFC 6749 §4.1.2,
/// RFC 9207 §2).
struct AuthorizationTarget: Hashable, Sendable {
    let redirect: PermittedRedirect
    let mode: ResponseMode
    /// Returned unchanged if it was sent.
    let state: String?
    /// `nil` for a client that cannot take it (``Compatibility/noIssuer``).
    let issuer: String?
    /// Whether the client hears which session it is (``Compatibility/noSessionState``).
    let namesSession: Bool
    let clientName: String

    /// The longest `state` that is returned, in bytes: some apps keep all of theirs in it.
    static let longestState = 4096

    typealias Parameters = [(name: String, value: String)]

    /// RFC 6749 §4.1.2, with `session_state`.
    ///
    /// - Parameters:
    ///   - action: What the request asked for.
    ///   - status: What became of it.
    func success(
        code: String,
        sessionID: String,
        action: RequestedAction?,
        _ status: RequestedAction.Status?
    ) -> Parameters {
        var parameters: Parameters = [("code", code)]
        if namesSession { parameters.append(("session_state", sessionID)) }
        if let action {
            parameters.append(("kc_action_status", (status ?? .error).word))
            parameters.append(("kc_action", action.name))
        }
        return common(parameters)
    }

    /// RFC 6749 §4.1.2.1.
    func failure(_ error: OAuthError) -> Parameters {
        common([("error", error.code.rawValue), ("error_description", error.description)])
    }

    /// The redirect URI with the parameters in its query, or in its fragment, which a registered
    /// one does not have (OAuth 2.0 Multiple Response Types §2.1); `nil` if they are posted.
    func location(_ parameters: Parameters) -> String? {
        switch mode {
        case .query: FormEncoding.appending(parameters, to: redirect.uri.text)
        case .fragment: FormEncoding.appending(parameters, toFragmentOf: redirect.uri.text)
        case .formPost: nil
        }
    }

    /// RFC 9207 §2: `iss` in every response, including errors; `state` as received (RFC 6749
    /// §4.1.2).
    private func common(_ parameters: Parameters) -> Parameters {
        parameters + (state.map { [("state", $0)] } ?? []) + (issuer.map { [("iss", $0)] } ?? [])
    }
}

extension AuthorizationTarget {
    /// Proves that the client may have an answer where its request wants it. Only an error that comes
    /// after the redirect URI is proven goes there.
    init(_ form: FormParameters, of client: Client, in realm: LiveRealm)
        throws(AuthorizationRefusal)
    {
        try Self.refuseObjects(form, of: client)
        let redirect = try Self.redirect(form, client, realm)
        func target(_ mode: ResponseMode, _ state: String?) -> AuthorizationTarget {
            AuthorizationTarget(
                redirect: redirect,
                mode: mode,
                state: state,
                issuer: client.compatibility.contains(.noIssuer) ? nil : realm.issuer,
                namesSession: !client.compatibility.contains(.noSessionState),
                clientName: client.name
            )
        }
        do throws(OAuthError) {
            let state = try form.value("state")
            guard (state?.utf8.count ?? 0) <= Self.longestState else {
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
            self = target(mode, state)
        } catch {
            // `try?`: a repeated or overlong state is not returned.
            let state = (try? form.value("state")).flatMap { $0 }
            let isReturnable = (state?.utf8.count ?? 0) <= Self.longestState
            throw .redirect(error, target(.query, isReturnable ? state : nil))
        }
    }

    /// A request object holds the parameters that are missed otherwise: what is said is that none is read
    /// (OpenID Connect Core §6.1).
    private static func refuseObjects(_ form: FormParameters, of client: Client)
        throws(AuthorizationRefusal)
    {
        guard !form.contains("redirect_uri") else { return }
        do throws(OAuthError) {
            try AuthorizationRequest.refuseUnsupported(form)
        } catch {
            throw .page(error, client: client.clientID, nil)
        }
    }

    /// Always required, even if only one is registered (OpenID Connect Core §3.1.2.1).
    private static func redirect(
        _ form: FormParameters,
        _ client: Client,
        _ realm: LiveRealm
    ) throws(AuthorizationRefusal) -> PermittedRedirect {
        do throws(OAuthError) {
            let requested = RedirectURI(try form.required("redirect_uri"))
            guard let redirect = PermittedRedirect(requested, of: realm.live(client)) else {
                throw OAuthError(.invalidRequest, "redirect_uri is not one the client registered.")
            }
            return redirect
        } catch {
            throw .page(error, client: client.clientID, .unknownRedirect)
        }
    }
}

extension Client {
    /// Whether a response may be sent in the fragment: only to an app that runs in the browser. A
    /// server never sees a fragment: with any other client, an attacker's link would leave the code
    /// unspent in an address that the browser passes on at the next redirect (RFC 9110 §10.2.2,
    /// docs/decisions/0041).
    ///
    /// Some adapters for browsers ask for it, whatever is registered.
    fileprivate var readsFragments: Bool {
        type == .public && (!webOrigins.isEmpty || compatibility.contains(.fragments))
    }
}

/// A redirect URI that a client of the realm has registered: only a value of this type can be the
/// target of a redirect (RFC 6749 §3.1.2.4, RFC 9700 §4.11.2).
struct PermittedRedirect: Hashable, Sendable {
    /// As in the request: a loopback port is the request's.
    let uri: RedirectURI
    /// Whether it is the client's at all: not where any website is permitted.
    private let isOwn: Bool

    /// - Returns: `nil` if the client has not registered it (``Client/redirectRule``).
    init?(_ requested: RedirectURI, of client: LiveClient) {
        guard client.permits(requested) else { return nil }
        isOwn = client.owns(requested)
        uri = requested
    }

    /// Whether the platform ensures that only the client's maker receives a response at this URI
    /// (RFC 8252 §8.6; docs/decisions/0039).
    var assuresClient: Bool { isOwn && uri.kind == .https }
}

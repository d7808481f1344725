import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoSystem

/// A request to sign out, with checked hint, client and redirect (OpenID Connect RP-Initiated
/// Logout §2, §3).
struct SignOutRequest: Sendable {
    let hint: IDTokenHint?
    let client: Client?
    /// As registered, except for the port of a native app's loopback address; without `state`.
    let redirect: RedirectURI?
    let state: String?
    /// What it was read from, in the form that is carried on.
    let parameters: FormParameters

    /// - Parameter isCarried: Whether it was read before, and comes out of a seal
    ///   (``CarriedSignOut/isRead``).
    /// - Throws: A refusal as a page, without a redirect (§4).
    init(
        _ form: FormParameters,
        of realm: LiveRealm,
        isCarried: Bool = false,
        at moment: Moment
    ) async throws {
        do throws(OAuthError) {
            try form.refuseRepeats()
            hint = try Self.hint(form["id_token_hint"], realm, isCarried: isCarried, moment)
            state = form["state"]
            guard (state?.utf8.count ?? 0) <= AuthorizationTarget.longestState else {
                throw OAuthError(.invalidRequest, "state is too long.")
            }
        } catch {
            throw SignOutRefusal(.request, error)
        }
        client = try await Self.client(form["client_id"], hint, realm)
        redirect = try Self.redirect(form["post_logout_redirect_uri"], client, realm)
        let read = self.hint
        parameters = FormParameters(
            Self.readable(form).all.map { parameter in
                guard let read, sameBytes(parameter.name, "id_token_hint") else {
                    return parameter
                }
                return (name: parameter.name, value: read.carried)
            }
        )
    }

    private static let kept = [
        "client_id", "post_logout_redirect_uri", "state", "ui_locales", "id_token_hint",
    ]

    /// The parameters of a request that is refused, for the page that says so.
    fileprivate static func readable(_ form: FormParameters) -> FormParameters {
        FormParameters(
            form.all.filter { parameter in kept.contains { sameBytes($0, parameter.name) } }
        )
    }

    /// Where a person may go on whose request is refused: the address that the client registered, and
    /// named, whatever else is wrong.
    static func wayOn(_ form: FormParameters, in realm: LiveRealm) async throws
        -> (link: PageLink?, client: String?)
    {
        guard let clientID = form["client_id"],
            let client = try await realm.client(clientID: clientID),
            // `try?`: what is refused here, too, leads nowhere.
            let redirect = try? Self.redirect(form["post_logout_redirect_uri"], client, realm),
            let link = PageLink(redirect: redirect.text)
        else { return (nil, nil) }
        return (link, client.name)
    }

    /// The browser's next address: the registered one with `state` unchanged.
    var location: String? {
        redirect.map { uri in
            FormEncoding.appending(state.map { [("state", $0)] } ?? [], to: uri.text)
        }
    }

    private static func hint(
        _ text: String?,
        _ realm: LiveRealm,
        isCarried: Bool,
        _ moment: Moment
    ) throws(OAuthError) -> IDTokenHint? {
        guard let text else { return nil }
        guard let hint = IDTokenHint(text, of: realm, isCarried: isCarried, at: moment.seconds)
        else {
            throw OAuthError(.invalidRequest, "id_token_hint is not an ID Token of this issuer.")
        }
        return hint
    }

    /// If both are given, the client must be the one that the hint was issued to (§2).
    private static func client(_ clientID: String?, _ hint: IDTokenHint?, _ realm: LiveRealm)
        async throws -> Client?
    {
        guard let clientID = clientID ?? hint?.clientID else { return nil }
        guard hint.map({ sameBytes($0.clientID, clientID) }) ?? true else {
            let error = OAuthError(
                .invalidRequest,
                "client_id is not the audience of id_token_hint."
            )
            throw SignOutRefusal(.request, error, clientID: clientID)
        }
        guard let client = try await realm.client(clientID: clientID) else {
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
        guard realm.live(client).permitsReturn(to: requested) else {
            let error = OAuthError(
                .invalidRequest,
                "post_logout_redirect_uri is not one the client registered."
            )
            throw SignOutRefusal(.returnAddress, error, clientID: client.clientID)
        }
        return requested
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
    /// Where the person may go on.
    var wayOn: PageLink?
    /// The name of the client that it belongs to; `nil` where it is a page of ours.
    var client: String?

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
        ErrorPage(
            issue: issue,
            client: client,
            back: wayOn,
            details: .init(error, clientID: clientID, at: moment)
        )
    }
}

/// A request to sign out, carried by the page that asks, or by the redirect back to us.
struct CarriedSignOut: CarriedByPage {
    let parameters: FormParameters
    /// Whether it was read when it was sealed, its hint checked: otherwise it is as it came from outside.
    let isRead: Bool
    /// The session that the page asks about; `nil` if no page has asked yet.
    let sessionID: String?

    static let purpose: StaticString = "sign out"
    static let patience: TimeInterval = 3600
    static let maximumLength = AuthorizationFlowSeal.maximumLength

    init(_ request: SignOutRequest, sessionID: String? = nil) {
        parameters = request.parameters
        isRead = true
        self.sessionID = sessionID
    }

    /// - Parameter form: Of a request that is refused.
    init(refused form: FormParameters) {
        parameters = SignOutRequest.readable(form)
        isRead = false
        sessionID = nil
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(isRead ? 1 : 0)
        writer.optionalText(sessionID)
        writer.sized(FormEncoding.encode(parameters.all))
        return writer.bytes
    }

    init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        isRead = try reader.byte() == 1
        sessionID = try reader.optionalText()
        parameters = try FormParameters(decoding: try reader.sized())
        try reader.end()
    }
}

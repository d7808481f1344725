public import HTTPTypes
import PorticoBytes
public import PorticoProtocol
public import PorticoSystem

/// Sends requests to an app's own servers with the session's token (RFC 6750 §2.1, RFC 9449 §7.1).
///
/// The token is sent only to the origins in ``SignInClient/Options/apiOrigins`` or
/// ``BackendClient/Options/apiOrigins``, and to the backend's own. A token that is a cookie
/// (``BackendClient/signIn(byHandle:using:)``) goes to the backend's own only. Redirects are not
/// followed but returned as the answer (RFC 9700 §4.10).
public struct AuthorizedHTTP: Sendable {
    let source: any TokenSource

    /// Sends a request with the fields that carry the token. If the server refuses the token as
    /// invalid, it is refreshed and the request is sent again, once; so it is if the server asks for a
    /// nonce in the proof (RFC 9449 §9).
    ///
    /// - Parameters:
    ///   - request: With scheme, authority and path, to one of the allowed origins.
    ///   - body: Empty for none.
    ///   - limits: 16 MiB and a minute by default.
    /// - Throws: misconfigured(.originNotAllowed) or misconfigured(.tokenInQuery) before anything
    ///   is sent; interactionRequired if the server says that the session is over.
    public func data(
        for request: HTTPRequest,
        body: [UInt8] = [],
        limits: HTTPLimits = HTTPLimits(bytes: 16 << 20, seconds: 60)
    ) async throws(SignInError) -> (Data, HTTPResponse) {
        try check(request)
        let token = try await source.token()
        var reply = try await send(request, body, token, limits)
        if source.isRefusal(reply), let fresh = try await source.token(replacing: token.text) {
            reply = try await send(request, body, fresh, limits)
        }
        return (Data(reply.body), reply.response)
    }

    /// Sets the fields that carry the token in a request that the app sends by other means: one
    /// request, whose method and address a proof names.
    ///
    /// - Throws: As ``data(for:body:limits:)``; nothing is sent but a refresh.
    public func authorize(_ request: inout HTTPRequest) async throws(SignInError) {
        try check(request)
        try source.exchange.authorize(&request, with: try await source.token())
    }

    /// Takes what an answer to such a request says of the token and of its proof.
    ///
    /// Where the answer refuses the token, or asks for a nonce in the proof (RFC 9449 §9), the fields
    /// of `request` are set anew. Send it once more then, and not a third time.
    ///
    /// - Parameters:
    ///   - request: As ``authorize(_:)`` made it.
    ///   - response: The answer to it.
    /// - Returns: Whether the same request may succeed now.
    /// - Throws: As ``data(for:body:limits:)``; nothing is sent but a refresh.
    public func reauthorize(_ request: inout HTTPRequest, after response: HTTPResponse)
        async throws(SignInError) -> Bool
    {
        try check(request)
        let reply = HTTPReply(response: response, body: [])
        guard let used = source.token(in: request) else { return false }
        try await source.took(reply, to: used)
        let exchange = source.exchange
        if exchange.noteNonce(in: reply, to: request), case .bound = used {
            try exchange.authorize(&request, with: used)
            return true
        }
        guard source.isRefusal(reply), let fresh = try await source.token(replacing: used.text)
        else { return false }
        try exchange.authorize(&request, with: fresh)
        return true
    }

    /// The fields that carry a token.
    package static let fields: [HTTPField.Name] = [.authorization, .cookie, .dpop, .portico]

    private func check(_ request: HTTPRequest) throws(SignInError) {
        guard let address = request.address, isAllowed(address) else {
            throw SignInError(.misconfigured(.originNotAllowed))
        }
        guard !Self.hasToken(address) else { throw SignInError(.misconfigured(.tokenInQuery)) }
    }

    private func send(
        _ request: HTTPRequest,
        _ body: [UInt8],
        _ token: SentToken,
        _ limits: HTTPLimits
    ) async throws(SignInError) -> HTTPReply {
        let reply = try await source.exchange.send(
            request,
            body: body,
            with: token,
            limits: limits,
            check: .answerTooLarge
        )
        try await source.took(reply, to: token)
        return reply
    }

    private func isAllowed(_ address: HTTPAddress) -> Bool {
        guard address.isSecure || source.allowsInsecureLoopback && address.isThisMachine else {
            return false
        }
        return source.origins.contains { HTTPAddress($0)?.origin == address.origin }
    }

    /// A token is sent in one place only (RFC 6750 §2), and never in a URL.
    private static func hasToken(_ address: HTTPAddress) -> Bool {
        guard let query = address.query else { return false }
        return query.split(separator: "&").contains {
            $0.split(separator: "=", maxSplits: 1).first == "access_token"
        }
    }
}

extension Session {
    /// Requests with this session's access token.
    public var http: AuthorizedHTTP { AuthorizedHTTP(source: SessionToken(session: self)) }
}

/// The access token of a session at a provider.
private struct SessionToken: TokenSource {
    let session: Session

    var exchange: ProviderHTTP { session.client.context.http }
    var origins: [String] { session.client.options.apiOrigins }
    var allowsInsecureLoopback: Bool { session.client.options.allowInsecureLoopback }

    func token() async throws(SignInError) -> SentToken {
        try await session.freshRecord().sentToken
    }

    func token(replacing used: SecretText) async throws(SignInError) -> SentToken? {
        guard session.isRenewable else { return nil }
        return try await session.refresher.record(of: session, for: .replacement(of: used))
            .sentToken
    }

    func token(in request: HTTPRequest) -> SentToken? {
        // `try?`: a session that has ended has no key.
        let key = (try? session.activeRecord())?.dpopKey
        return request.token(after: key == nil ? "Bearer " : "DPoP ").map {
            SentToken($0, boundTo: key)
        }
    }

    /// An API that refuses a token for another reason must not cause a refresh each time.
    private var hasNewToken: Bool {
        // `try?`: a session that has ended has none.
        guard let record = try? session.activeRecord() else { return false }
        return session.now().timeIntervalSince(record.receivedAt) < 30
    }

    func isRefusal(_ reply: HTTPReply) -> Bool {
        reply.hasRefusedToken
            || session.client.options.refreshesOnAnyUnauthorized
                && reply.response.status == .unauthorized && !hasNewToken
    }
}

/// The source of an ``AuthorizedHTTP``'s token, and where it may be sent.
protocol TokenSource: Sendable {
    var exchange: ProviderHTTP { get }
    var origins: [String] { get }
    var allowsInsecureLoopback: Bool { get }

    /// A valid token, refreshed first if necessary.
    func token() async throws(SignInError) -> SentToken

    /// - Returns: `nil` if another token cannot be obtained.
    func token(replacing used: SecretText) async throws(SignInError) -> SentToken?

    /// The token that a request carries; `nil` if it is none of this source's kind.
    func token(in request: HTTPRequest) -> SentToken?

    /// Whether the reply refuses the token.
    func isRefusal(_ reply: HTTPReply) -> Bool

    /// Keeps what a reply says of the session.
    ///
    /// - Throws: interactionRequired if it is over.
    func took(_ reply: HTTPReply, to token: SentToken) async throws(SignInError)
}

extension TokenSource {
    func took(_ reply: HTTPReply, to token: SentToken) async throws(SignInError) {}
}

extension HTTPRequest {
    /// The token in the `Authorization` field.
    ///
    /// - Parameter scheme: With the space after it.
    func token(after scheme: StaticString) -> SecretText? {
        let scheme = "\(scheme)"
        guard let field = headerFields[.authorization], field.hasPrefix(scheme) else { return nil }
        return SecretText(String(field.dropFirst(scheme.utf8.count)))
    }
}

extension ProviderHTTP {
    /// Keeps the nonce in a reply to a request that the app sent by other means.
    ///
    /// - Returns: Whether the reply asks for it.
    func noteNonce(in reply: HTTPReply, to request: HTTPRequest) -> Bool {
        guard let address = request.address,
            nonces.note(reply, from: address, at: moment.seconds) != nil
        else { return false }
        return DPoPSender.Place.resource.asksForNonce(reply)
    }
}

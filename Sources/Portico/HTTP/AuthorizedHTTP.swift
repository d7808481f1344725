public import HTTPTypes
import PorticoBytes
public import PorticoProtocol
public import PorticoSystem

/// Sends requests to an app's own servers with the session's token (RFC 6750 §2.1).
///
/// The token is sent only to the origins in ``SignInClient/Options/apiOrigins`` or
/// ``BackendClient/Options/apiOrigins``, and to the backend's own. Redirects are not followed but
/// returned as the answer (RFC 9700 §4.10).
public struct AuthorizedHTTP: Sendable {
    let bearer: any BearerSource

    /// Sends a request with its `Authorization` field set. If the server refuses the token as
    /// invalid, it is refreshed and the request is sent again, once.
    ///
    /// - Parameters:
    ///   - request: With scheme, authority and path, to one of the allowed origins.
    ///   - body: Empty for none.
    ///   - limits: 16 MiB and a minute by default.
    /// - Throws: misconfigured(.originNotAllowed) or misconfigured(.tokenInQuery) before anything
    ///   is sent.
    public func data(
        for request: HTTPRequest,
        body: [UInt8] = [],
        limits: HTTPLimits = HTTPLimits(bytes: 16 << 20, seconds: 60)
    ) async throws(SignInError) -> (Data, HTTPResponse) {
        try check(request)
        let token = try await bearer.token()
        var reply = try await send(request, body, token, limits)
        if bearer.isRefusal(reply), let fresh = try await bearer.token(replacing: token) {
            reply = try await send(request, body, fresh, limits)
        }
        return (Data(reply.body), reply.response)
    }

    /// Sets the `Authorization` field of a request that the app sends by other means.
    ///
    /// - Throws: As ``data(for:body:limits:)``; nothing is sent but a refresh.
    public func authorize(_ request: inout HTTPRequest) async throws(SignInError) {
        try check(request)
        request.headerFields[.authorization] = "Bearer \(try await bearer.token().reveal())"
    }

    /// Sets another token after an answer that refuses the request's own.
    ///
    /// - Returns: `false` if the answer does not, or if there is no other token.
    package func reauthorize(_ request: inout HTTPRequest, after response: HTTPResponse)
        async throws(SignInError) -> Bool
    {
        try check(request)
        let prefix = "Bearer "
        guard bearer.isRefusal(HTTPReply(response: response, body: [])),
            let used = request.headerFields[.authorization], used.hasPrefix(prefix),
            let fresh = try await bearer.token(
                replacing: SecretText(String(used.dropFirst(prefix.utf8.count)))
            )
        else { return false }
        request.headerFields[.authorization] = prefix + fresh.reveal()
        return true
    }

    private func check(_ request: HTTPRequest) throws(SignInError) {
        guard let address = request.address, isAllowed(address) else {
            throw SignInError(.misconfigured(.originNotAllowed))
        }
        guard !Self.hasToken(address) else { throw SignInError(.misconfigured(.tokenInQuery)) }
    }

    private func send(
        _ request: HTTPRequest,
        _ body: [UInt8],
        _ token: SecretText,
        _ limits: HTTPLimits
    ) async throws(SignInError) -> HTTPReply {
        var request = request
        request.headerFields[.authorization] = "Bearer \(token.reveal())"
        return try await bearer.exchange.send(
            request,
            body: body,
            limits: limits,
            check: .answerTooLarge
        )
    }

    private func isAllowed(_ address: HTTPAddress) -> Bool {
        guard address.isSecure || bearer.allowsInsecureLoopback && address.isThisMachine else {
            return false
        }
        return bearer.origins.contains { HTTPAddress($0)?.origin == address.origin }
    }

    /// A token is sent in one place only (RFC 6750 §2), and never in a URL.
    private static func hasToken(_ address: HTTPAddress) -> Bool {
        guard let query = address.query else { return false }
        return query.split(separator: "&").contains {
            $0.split(separator: "=", maxSplits: 1).first == "access_token"
        }
    }
}

/// The source of an ``AuthorizedHTTP``'s token, and where it may be sent.
protocol BearerSource: Sendable {
    var exchange: ProviderHTTP { get }
    var origins: [String] { get }
    var allowsInsecureLoopback: Bool { get }

    /// A valid token, refreshed first if necessary.
    func token() async throws(SignInError) -> SecretText

    /// - Returns: `nil` if another token cannot be obtained.
    func token(replacing used: SecretText) async throws(SignInError) -> SecretText?

    /// Whether the reply refuses the token.
    func isRefusal(_ reply: HTTPReply) -> Bool
}

extension Session {
    /// Requests with this session's access token.
    public var http: AuthorizedHTTP { AuthorizedHTTP(bearer: SessionBearer(session: self)) }
}

/// The access token of a session at a provider.
private struct SessionBearer: BearerSource {
    let session: Session

    var exchange: ProviderHTTP { session.client.context.http }
    var origins: [String] { session.client.options.apiOrigins }
    var allowsInsecureLoopback: Bool { session.client.options.allowInsecureLoopback }

    func token() async throws(SignInError) -> SecretText {
        try await session.freshRecord().accessToken
    }

    func token(replacing used: SecretText) async throws(SignInError) -> SecretText? {
        guard session.isRenewable else { return nil }
        return try await session.refresher.record(of: session, for: .replacement(of: used))
            .accessToken
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

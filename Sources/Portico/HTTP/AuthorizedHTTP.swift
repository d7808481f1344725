public import HTTPTypes
import PorticoBytes
public import PorticoProtocol

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Requests to an app's own servers with the session's access token (RFC 6750 §2.1).
///
/// The token goes to the origins named in ``SignInClient/Options/apiOrigins`` and nowhere else,
/// also not along a redirect: a redirect is handed back as the answer it is (RFC 9700 §4.10).
public struct AuthorizedHTTP: Sendable {
    let session: Session

    /// Sends a request, its `Authorization` field being set here. Where the server calls the token
    /// invalid it is refreshed, and the request sent once more.
    ///
    /// - Parameters:
    ///   - request: With scheme, authority and path, to one of the named origins.
    ///   - body: Empty for none.
    ///   - limits: 16 MiB and a minute where none are given.
    /// - Throws: misconfigured(.originNotAllowed), misconfigured(.tokenInQuery) before anything is
    ///   sent.
    public func data(
        for request: HTTPRequest,
        body: [UInt8] = [],
        limits: HTTPLimits = HTTPLimits(bytes: 16 << 20, seconds: 60)
    ) async throws(SignInError) -> (Data, HTTPResponse) {
        guard let address = request.address, isAllowed(address) else {
            throw SignInError(.misconfigured(.originNotAllowed))
        }
        guard !Self.hasToken(address) else { throw SignInError(.misconfigured(.tokenInQuery)) }
        let token = try await SecretText(session.token())
        var reply = try await send(request, body, token, limits)
        if reply.hasRefusedToken, session.isRefreshable {
            let goal = Refresher.Goal.replacement(of: token)
            let fresh = try await session.refresher.record(of: session, for: goal)
            reply = try await send(request, body, fresh.accessToken, limits)
        }
        return (Data(reply.body), reply.response)
    }

    private func send(
        _ request: HTTPRequest,
        _ body: [UInt8],
        _ token: SecretText,
        _ limits: HTTPLimits
    ) async throws(SignInError) -> HTTPReply {
        var request = request
        request.headerFields[.authorization] = "Bearer \(token.reveal())"
        return try await session.client.context.http.send(
            request,
            body: body,
            limits: limits,
            check: .answerTooLarge
        )
    }

    private func isAllowed(_ address: HTTPAddress) -> Bool {
        let options = session.client.options
        guard address.isSecure || options.allowInsecureLoopback && address.isLoopback else {
            return false
        }
        return options.apiOrigins.contains { HTTPAddress($0)?.origin == address.origin }
    }

    /// A token goes into one place only (RFC 6750 §2), and a URL is none.
    private static func hasToken(_ address: HTTPAddress) -> Bool {
        guard let query = address.query else { return false }
        return query.split(separator: "&").contains {
            $0.split(separator: "=", maxSplits: 1).first == "access_token"
        }
    }
}

extension Session {
    /// Requests with this session's access token.
    public var http: AuthorizedHTTP { AuthorizedHTTP(session: self) }
}

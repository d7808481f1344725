import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// Fetches the claims of the person an access token belongs to (OpenID Connect Core §5.3).
package struct UserInfoEndpoint: Sendable {
    private let address: String
    private let clientID: String
    private let provider: RemoteProvider
    private let http: ProviderHTTP

    /// A profile text may be longer than a name.
    private static let limits = JSONLimits.foreign(size: 256 * 1024, text: 8 * 1024)

    package init(address: String, clientID: String, provider: RemoteProvider, http: ProviderHTTP) {
        self.address = address
        self.clientID = clientID
        self.provider = provider
        self.http = http
    }

    /// The claims of `subject`, fetched with their token.
    package func claims(with token: SentToken, of subject: String) async throws(SignInError)
        -> JSONObject
    {
        try await claims(in: try await reply(to: token), of: subject)
    }

    /// The token is sent in the header field, never in the URL (RFC 6750 §2.1, §2.3).
    func reply(to token: SentToken) async throws(SignInError) -> HTTPReply {
        try await http.get(
            address,
            with: token,
            limits: HTTPLimits(bytes: 256 * 1024, seconds: 20),
            check: .userInfo
        )
    }

    /// - Parameter subject: From the ID Token; `sub` must be the same bytes (§5.3.2).
    func claims(in reply: HTTPReply, of subject: String) async throws(SignInError) -> JSONObject {
        guard reply.response.status == .ok else {
            if reply.hasRefusedToken { throw SignInError(.interactionRequired(.sessionEnded)) }
            if reply.hasRefusedProof { throw SignInError(.misconfigured(.proofRefused)) }
            if [401, 403].contains(reply.response.status.code) {
                throw SignInError(.misconfigured(.scopeRefused))
            }
            throw http.failure(of: reply)
        }
        let claims = try await content(of: reply)
        guard let sub = claims.string("sub"), sameBytes(sub, subject) else {
            throw SignInError(.rejected(.subject))
        }
        return claims
    }

    private func content(of reply: HTTPReply) async throws(SignInError) -> JSONObject {
        if reply.mediaType == "application/jwt" { return try await signedContent(of: reply) }
        guard reply.isJSON else { throw SignInError(.rejected(.userInfo.notJSON)) }
        do {
            return try JSONObject(parsing: reply.body, limits: Self.limits)
        } catch {
            throw SignInError(.rejected(.userInfo))
        }
    }

    /// Reads a signed answer, checking its signature, issuer and audience (§5.3.2, §5.3.4).
    private func signedContent(of reply: HTTPReply) async throws(SignInError) -> JSONObject {
        let token = SecretText(String(decoding: reply.body, as: UTF8.self))
        let claims = try await IDTokenVerifier(provider: provider, now: http.now)
            .signature(of: token).claims
        guard let issuer = claims.string("iss"), provider.issuer.isNamed(byResponse: issuer)
        else {
            throw SignInError(.rejected(.issuer))
        }
        let audience = claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? []
        guard audience.contains(where: { sameBytes($0, clientID) }) else {
            throw SignInError(.rejected(.audience))
        }
        return claims
    }
}

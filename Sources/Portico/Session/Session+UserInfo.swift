import HTTPTypes
import PorticoBytes
import PorticoProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Session {
    /// The claims at the UserInfo endpoint (OpenID Connect Core §5.3), fetched now.
    ///
    /// - Throws: rejected(.subject) where they are another person's: none of them is used.
    public func userInfo() async throws(SignInError) -> User {
        User(issuer: user.issuer, subject: user.subject, claims: try await userInfoClaims())
    }

    /// The same, as a type of the app's own.
    public func userInfo<Info: Decodable>(as type: Info.Type) async throws(SignInError) -> Info {
        let claims = try await userInfoClaims()
        do {
            return try JSONDecoder().decode(type, from: Data(claims.serialized()))
        } catch {
            throw SignInError(.rejected(.userInfo))
        }
    }

    private func userInfoClaims() async throws(SignInError) -> JSONObject {
        guard let address = try await provider.metadata().userInfoEndpoint else {
            throw SignInError(.misconfigured(.endpointMissing))
        }
        var token = try await SecretText(token())
        let endpoint = UserInfoEndpoint(address: address, client: client, provider: provider)
        var reply = try await endpoint.reply(to: token)
        if reply.hasRefusedToken {
            token = try await refresher.record(of: self, for: .replacement(of: token)).accessToken
            reply = try await endpoint.reply(to: token)
        }
        let claims = try await endpoint.claims(in: reply, of: user.subject)
        show(userInfo: claims)
        return claims
    }
}

/// Asking for the claims of whoever a token stands for (OpenID Connect Core §5.3).
struct UserInfoEndpoint: Sendable {
    let address: String
    let client: SignInClient
    let provider: RemoteProvider

    /// The token goes into the header field, never into the address (RFC 6750 §2.1, §2.3).
    func reply(to token: SecretText) async throws(SignInError) -> HTTPReply {
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(token.reveal())"
        return try await client.context.http.get(
            address,
            fields: fields,
            limits: HTTPLimits(bytes: 256 * 1024, seconds: 20),
            check: .userInfo
        )
    }

    /// - Parameter subject: Of the ID Token; `sub` must be the same bytes (§5.3.2).
    func claims(in reply: HTTPReply, of subject: String) async throws(SignInError) -> JSONObject {
        guard reply.response.status == .ok else {
            if reply.hasRefusedToken { throw SignInError(.interactionRequired(.sessionEnded)) }
            if [401, 403].contains(reply.response.status.code) {
                throw SignInError(.misconfigured(.scopeRefused))
            }
            throw client.context.http.failure(of: reply)
        }
        let claims = try await content(of: reply)
        guard let sub = claims.string("sub"), sameBytes(sub, subject) else {
            throw SignInError(.rejected(.subject))
        }
        return claims
    }

    private func content(of reply: HTTPReply) async throws(SignInError) -> JSONObject {
        if reply.mediaType == "application/jwt" { return try await signedContent(of: reply) }
        guard reply.isJSON else { throw SignInError(.rejected(.userInfo)) }
        do {
            return try JSONObject(parsing: reply.body, limits: JSONLimits(size: 256 * 1024))
        } catch {
            throw SignInError(.rejected(.userInfo))
        }
    }

    /// A signed answer: its signature, issuer and audience are checked (§5.3.2, §5.3.4).
    private func signedContent(of reply: HTTPReply) async throws(SignInError) -> JSONObject {
        let token = SecretText(String(decoding: reply.body, as: UTF8.self))
        let claims = try await IDTokenVerifier(provider: provider, now: client.context.now)
            .signature(of: token).claims
        guard let issuer = claims.string("iss"), provider.issuer.isNamed(issuer) else {
            throw SignInError(.rejected(.issuer))
        }
        let audience = claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? []
        guard audience.contains(where: { sameBytes($0, client.clientID) }) else {
            throw SignInError(.rejected(.audience))
        }
        return claims
    }
}

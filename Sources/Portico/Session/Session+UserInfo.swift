import PorticoBytes
import PorticoProtocol
import PorticoSystem

extension Session {
    /// The claims at the UserInfo endpoint (OpenID Connect Core §5.3), fetched now.
    ///
    /// - Throws: rejected(.subject) if they are another person's; none of them is used.
    public func userInfo() async throws(SignInError) -> User {
        User(issuer: user.issuer, subject: user.subject, claims: try await userInfoClaims())
    }

    /// The same, as a type of the app.
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
        var token = try await freshRecord().sentToken
        let endpoint = userInfoEndpoint(address)
        var reply = try await endpoint.reply(to: token)
        if reply.hasRefusedToken {
            guard isRenewable else { throw SignInError(.interactionRequired(.expired)) }
            token = try await refresher.record(of: self, for: .replacement(of: token.text))
                .sentToken
            reply = try await endpoint.reply(to: token)
        }
        let claims = try await endpoint.claims(in: reply, of: user.subject)
        show(userInfo: claims)
        return claims
    }

    private func userInfoEndpoint(_ address: String) -> UserInfoEndpoint {
        UserInfoEndpoint(
            address: address,
            clientID: client.clientID,
            provider: provider,
            http: client.context.http
        )
    }
}

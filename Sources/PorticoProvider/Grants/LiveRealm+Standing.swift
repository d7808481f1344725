import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What is left of a grant when it is used (docs/decisions/0072): what was granted, the client may have
/// now, and the person has allowed, where the client asks. The one rule for refreshing, UserInfo,
/// introspection and whatever hands a sign-in on.
extension LiveRealm {
    /// The grant with what is left of it.
    ///
    /// - Parameter client: Whose it is, as it is registered now.
    /// - Throws: `invalid_grant` if it is over: the client may not get such a grant any more, has no
    ///   offline access where that is all it lives by, or asks people, and this one was never asked.
    func standing(_ reading: GrantReading, of client: Client) async throws -> Grant {
        guard try await permits(reading, to: client) else {
            throw OAuthError(.invalidGrant, "The client may not use this grant type any more.")
        }
        let asks = client.keepsConsent && !reading.isOfClientAlone
        guard !asks || reading.allowed != nil else {
            throw OAuthError(.invalidGrant, "The person has to allow this in a browser.")
        }
        func isLeft(_ token: String) -> Bool {
            client.mayHave(token)
                && (!asks || !isAskedFor(token) || reading.allowed?.contains(token) == true)
        }
        var grant = reading.grant
        grant.scope = Scope(tokens: grant.scope.tokens.filter(isLeft))
        if let claims = grant.claims {
            let requested = try ClaimsRequest(claims)
            grant.claims =
                RequestedClaims(requested) { StandardClaims.scope(of: $0).map(isLeft) ?? false }
                .json
        }
        guard !grant.isOffline || grant.hasOwnTimes || grant.scope.contains("offline_access") else {
            throw OAuthError(.invalidGrant, "The client has no offline access any more.")
        }
        return grant
    }

    /// Whether the client may still get a grant the way it came by this one.
    private func permits(_ reading: GrantReading, to client: Client) async throws -> Bool {
        if reading.isOfClientAlone { return client.grantTypes.contains(.clientCredentials) }
        if let source = reading.exchangedBy {
            // Where the first app is disabled, the others keep what they have.
            return try await self.client(uuid: source)?.sharesDevice(with: client) ?? false
        }
        if !reading.isRequested, PasswordGrant.serves(client, in: self) { return takesPasswords }
        return client.grantTypes.contains(.authorizationCode)
    }

    /// The same for a refresh token.
    ///
    /// - Throws: `unauthorized_client` if the client may not have one any more.
    func refreshable(_ reading: GrantReading, of client: Client) async throws -> Grant {
        guard client.grantTypes.contains(.refreshToken) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        return try await standing(reading, of: client)
    }

    /// The same for those to whom it does not matter what ended a grant; `nil` where it is over.
    ///
    /// - Parameter forRefresh: Whether it is to be good for a refresh token.
    func left(of reading: GrantReading, _ client: Client, forRefresh: Bool = false) async throws
        -> Grant?
    {
        do {
            return forRefresh
                ? try await refreshable(reading, of: client)
                : try await standing(reading, of: client)
        } catch is OAuthError {
            return nil
        }
    }
}

extension GrantReading {
    /// Whether no person stands behind it.
    fileprivate var isOfClientAlone: Bool {
        grant.personID == nil || person?.person.serviceClientID != nil
    }
}

extension Client {
    /// Whether tokens give no more than what the person has allowed.
    var keepsConsent: Bool { requiresConsent && consentMemory == .kept }

    /// Whether its sign-ins are good for that app on the same device (OpenID Connect Native SSO §4).
    func sharesDevice(with target: Client) -> Bool {
        loginTokenTarget(target.clientID) != nil && mayHave(StandardScopes.deviceSSO)
    }

    /// Whether it may have a token of a scope, by default or if it asks (RFC 6749 §3.3).
    func mayHave(_ token: String) -> Bool {
        if scopeRule == .atProtocol { return optionalScopes.contains(token) }
        return switch token {
        case "openid": true
        // OpenID Connect Core §11: not if the client may not have refresh tokens.
        case "offline_access":
            optionalScopes.contains(token) && grantTypes.contains(.refreshToken)
        default: optionalScopes.contains(token) || defaultScopes.contains(token)
        }
    }
}

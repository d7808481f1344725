package import Portico
package import PorticoBytes
package import PorticoProtocol

/// Why there is no new access token.
package struct RefreshFailure: Error {
    package let error: SignInError
    /// The refresh token of an answer that cannot be used otherwise: to be stored, because the one
    /// before it may be spent.
    package var successor: SecretText?
}

extension UpstreamClient {
    /// Gets a new access token, for the proxy to an API (RFC 6749 §6).
    ///
    /// - Parameters:
    ///   - token: From ``ProvenPerson/refreshToken`` or an earlier call.
    ///   - idempotencyKey: The key of the earlier request, if its answer was lost.
    /// - Returns: With the refresh token to store, if it changed, and with what the access token is
    ///   bound to, if anything.
    /// - Throws: interactionRequired(.sessionEnded) if the token is no longer valid.
    package func refresh(_ token: SecretText, idempotencyKey: String? = nil)
        async throws(RefreshFailure) -> (
            accessToken: SecretText, expiresAt: Int64?, refreshToken: SecretText?, key: DPoPKey?
        )
    {
        let kept = ForeignToken(token, of: provider)
        let endpoint: TokenEndpoint
        do {
            endpoint = try await tokenEndpoint(for: kept.clientID, proving: kept.key)
        } catch {
            throw RefreshFailure(error: error)
        }
        let tokens: TokenResponse
        do {
            tokens = try await endpoint.refresh(
                kept.text,
                idempotencyKey: idempotencyKey ?? random.text(16)
            ).tokens
        } catch {
            if error.isInvalidGrant {
                throw RefreshFailure(error: SignInError(.interactionRequired(.sessionEnded)))
            }
            let failure = error.signInError
            note(failure)
            guard case .unusable(_, let successor?) = error else {
                throw RefreshFailure(error: failure)
            }
            throw RefreshFailure(
                error: failure,
                successor: ForeignToken(successor, of: kept.clientID, boundTo: kept.key)
                    .written(for: provider)
            )
        }
        let now = NumericDate.seconds(http.now())
        return (
            tokens.accessToken,
            tokens.expiresIn.map { now + $0 },
            tokens.refreshToken.map {
                ForeignToken($0, of: kept.clientID, boundTo: kept.key).written(for: provider)
            },
            kept.key
        )
    }

    /// - Parameter clientID: Our client ID at the provider, or that of one of our apps.
    func tokenEndpoint(for clientID: String, proving key: DPoPKey? = nil)
        async throws(SignInError) -> TokenEndpoint
    {
        let metadata = try await remote.metadata()
        let proof = proof
        return TokenEndpoint(
            address: metadata.tokenEndpoint,
            identification: { () throws(SignInError) in
                try proof.identification(of: clientID, at: metadata)
            },
            key: key,
            http: http,
            profile: provider.profile
        )
    }

    /// Revokes a refresh token (RFC 7009; PRV-A-19).
    ///
    /// - Returns: Whether it is revoked; `false` also if the provider does not support revocation.
    package func revoke(_ token: SecretText) async -> Bool {
        let kept = ForeignToken(token, of: provider)
        let proof = proof
        do throws(SignInError) {
            let metadata = try await remote.metadata()
            guard let address = metadata.revocationEndpoint else { return false }
            let endpoint = RevocationEndpoint(
                address: address,
                identification: { () throws(SignInError) in
                    try proof.identification(of: kept.clientID, at: metadata)
                },
                key: kept.key,
                http: http
            )
            try await endpoint.revoke(kept.text, hint: "refresh_token")
            return true
        } catch {
            note(error)
            return false
        }
    }
}

package import Portico
package import PorticoBytes
import PorticoProtocol

extension UpstreamClient {
    /// Gets a new access token, for the proxy to an API (RFC 6749 §6).
    ///
    /// - Parameters:
    ///   - token: From ``ProvenPerson/refreshToken`` or an earlier call.
    ///   - idempotencyKey: The key of the earlier request, if its answer was lost.
    /// - Returns: With the refresh token to store, if it changed.
    /// - Throws: interactionRequired(.sessionEnded) if the token is no longer valid.
    package func refresh(_ token: SecretText, idempotencyKey: String? = nil)
        async throws(SignInError) -> (
            accessToken: SecretText, expiresAt: Int64?, refreshToken: SecretText?
        )
    {
        let (token, clientID) = ForeignToken.read(token, of: provider)
        let endpoint = try await tokenEndpoint(for: clientID)
        let tokens: TokenResponse
        do {
            tokens = try await endpoint.refresh(
                token,
                idempotencyKey: idempotencyKey ?? random.text(16)
            ).tokens
        } catch {
            if error.isInvalidGrant {
                throw SignInError(.interactionRequired(.sessionEnded))
            }
            let failure = error.signInError
            note(failure)
            throw failure
        }
        let now = NumericDate.seconds(http.now())
        return (
            tokens.accessToken,
            tokens.expiresIn.map { now + $0 },
            tokens.refreshToken.map { ForeignToken.written($0, clientID, of: provider) }
        )
    }

    /// - Parameter clientID: Our client ID at the provider, or that of one of our apps.
    func tokenEndpoint(for clientID: String) async throws(SignInError) -> TokenEndpoint {
        let metadata = try await remote.metadata()
        return TokenEndpoint(
            address: metadata.tokenEndpoint,
            identification: try proof.identification(of: clientID, at: metadata),
            http: http,
            profile: provider.profile
        )
    }

    /// Revokes a refresh token (RFC 7009; PRV-A-19).
    ///
    /// - Returns: Whether it is revoked; `false` also if the provider does not support revocation.
    package func revoke(_ token: SecretText) async -> Bool {
        let (token, clientID) = ForeignToken.read(token, of: provider)
        do throws(SignInError) {
            let metadata = try await remote.metadata()
            guard let address = metadata.revocationEndpoint else { return false }
            let endpoint = RevocationEndpoint(
                address: address,
                identification: try proof.identification(of: clientID, at: metadata),
                http: http
            )
            try await endpoint.revoke(token, hint: "refresh_token")
            return true
        } catch {
            note(error)
            return false
        }
    }
}

/// A refresh token with the client that it was issued to, if that is not the provider's usual one:
/// a native code is redeemed as the app (PRV-A-12), and so are the tokens issued for it.
enum ForeignToken {
    // No token contains a space (RFC 6749 appendix A.17).
    static func written(
        _ token: SecretText,
        _ clientID: String,
        of provider: IdentityProvider
    ) -> SecretText {
        guard !sameBytes(clientID, provider.clientID) else { return token }
        return SecretText("\(token.reveal()) \(clientID)")
    }

    static func read(_ token: SecretText, of provider: IdentityProvider) -> (SecretText, String) {
        let text = token.reveal()
        guard let space = text.firstIndex(of: " ") else { return (token, provider.clientID) }
        return (SecretText(String(text[..<space])), String(text[text.index(after: space)...]))
    }
}

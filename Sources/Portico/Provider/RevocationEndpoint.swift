import HTTPTypes
package import PorticoBytes
import PorticoProtocol

/// Revokes tokens (RFC 7009).
package struct RevocationEndpoint: Sendable {
    private let address: String
    private let identification: ClientIdentification.Source
    private let key: DPoPKey?
    private let http: ProviderHTTP

    /// - Parameter key: What the tokens are bound to: some servers want it proven here too.
    package init(
        address: String,
        identification: @escaping ClientIdentification.Source,
        key: DPoPKey?,
        http: ProviderHTTP
    ) {
        self.address = address
        self.identification = identification
        self.key = key
        self.http = http
    }

    /// Revokes the refresh token, and with it all tokens issued from it; without a refresh token,
    /// the access token (§2.1).
    static func revoke(
        _ record: SessionRecord,
        at provider: RemoteProvider,
        for client: SignInClient
    ) async -> SignOutReport.Revocation {
        do throws(SignInError) {
            let metadata = try await provider.metadata()
            guard let address = metadata.revocationEndpoint else { return .notOffered }
            let endpoint = RevocationEndpoint(
                address: address,
                identification: { () throws(SignInError) in
                    ClientIdentification(clientID: client.clientID)
                },
                key: record.dpopKey,
                http: client.context.http
            )
            if let token = record.refreshToken {
                try await endpoint.revoke(token, hint: "refresh_token")
            } else {
                try await endpoint.revoke(record.accessToken, hint: "access_token")
            }
            return .revoked
        } catch {
            return .failed(error)
        }
    }

    /// Tries again once if the server requests a short pause (§2.2.1).
    package func revoke(_ token: SecretText, hint: String) async throws(SignInError) {
        let reply = try await send(token, hint: hint)
        guard reply.response.status != .ok else { return }
        if reply.response.status.code == 503, let pause = http.retryAfter(reply),
            pause <= .seconds(3)
        {
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw SignInError(.cancelled(.program))
            }
            let second = try await send(token, hint: hint)
            guard second.response.status != .ok else { return }
            throw failure(of: second)
        }
        throw failure(of: reply)
    }

    private func send(_ token: SecretText, hint: String) async throws(SignInError) -> HTTPReply {
        try await http.post(
            address,
            form: [("token", token.reveal()), ("token_type_hint", hint)],
            by: identification,
            proving: key,
            limits: HTTPLimits(bytes: 64 * 1024, seconds: 10),
            check: .tokenResponse
        )
    }

    private func failure(of reply: HTTPReply) -> SignInError {
        ErrorResponse(reply).map { SignInError($0) } ?? http.failure(of: reply)
    }
}

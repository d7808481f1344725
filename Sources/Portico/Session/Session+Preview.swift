package import PorticoProtocol
import PorticoBytes

extension Session {
    /// A session from an answer that was not checked, for the previews of an app
    /// (PorticoTesting). It is not stored.
    ///
    /// - Throws: If the answer has no ID Token, or the client no valid issuer.
    package convenience init(unchecked tokens: TokenResponse, by client: SignInClient) throws {
        guard let text = tokens.idToken else { throw SignInError(.rejected(.idTokenMissing)) }
        let claims = try JWT(parsing: text.reveal(), limit: 1 << 20).uncheckedClaims()
        self.init(
            client: client,
            provider: try client.remoteProvider(),
            record: SessionRecord(
                client.context.random.text(16),
                tokens,
                VerifiedToken(text: text, claims: try IDTokenClaims(claims)),
                for: client,
                [:],
                receivedAt: client.context.now()
            )
        )
    }
}

extension BackendSession {
    /// As ``Session/init(unchecked:by:)``.
    ///
    /// - Parameter body: The answer of the backend to a hand-off code.
    package convenience init(unchecked body: [UInt8], by client: BackendClient) throws {
        let endpoint = try client.endpoint()
        let answer = try BackendAnswer(parsing: body)
        let record = BackendRecord(
            id: client.context.random.text(16),
            backend: endpoint.base.text,
            app: client.app,
            answer: answer,
            receivedAt: client.context.now()
        )
        self.init(client: client, endpoint: endpoint, record: record, isNew: answer.isNewUser)
    }
}

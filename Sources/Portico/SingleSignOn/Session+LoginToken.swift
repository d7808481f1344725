import PorticoBytes
import PorticoProtocol

extension Session {
    /// A token by which another app of the same vendor signs the same person in (RFC 8693 §2.1).
    ///
    /// The provider must list that app for this one. Nothing is renewed or stored by it.
    ///
    /// - Parameter clientID: The other app's `client_id`.
    /// - Throws: interactionRequired if the session is over here or at the provider,
    ///   misconfigured(.targetRefused) if the provider does not list the other app, and every error
    ///   of a refresh.
    public func loginToken(for clientID: String) async throws(SignInError) -> LoginToken {
        // The provider's answer would be that of an ended session.
        guard !clientID.isEmpty else { throw SignInError(.misconfigured(.targetRefused)) }
        // What both sides hold is the source's, until a sign-in of its own.
        if isRenewedElsewhere, let source { return try await source.loginToken(for: clientID) }
        let used = try await subject()
        do throws(SignInError) {
            return try await exchange(used, for: clientID)
        } catch {
            guard error.isOfSubject, used.refreshToken != nil else { throw error }
        }
        _ = try await refresher.record(of: self, for: .replacement(of: used.accessToken))
        do throws(SignInError) {
            return try await exchange(try await subject(), for: clientID)
        } catch {
            guard error.isOfSubject else { throw error }
            // It was renewed, so only the sign-in in the browser can be what has ended.
            throw SignInError(.interactionRequired(.loginRequired), error)
        }
    }

    /// The record whose refresh token is the current one.
    private func subject() async throws(SignInError) -> SessionRecord {
        let lock = try await storage.lock(patience: .refresh)
        defer { lock.release() }
        let stored = try await storedRecord()
        return unwritten.result(of: stored)?.record ?? stored
    }

    /// Under no lock: the provider refuses a token that was replaced meanwhile, and changes nothing.
    private func exchange(_ record: SessionRecord, for clientID: String)
        async throws(SignInError) -> LoginToken
    {
        let endpoint = TokenEndpoint(
            address: try await provider.metadata(orLast: true).tokenEndpoint,
            clientID: client.clientID,
            key: record.dpopKey,
            http: client.context.http
        )
        let subject = record.refreshToken ?? record.accessToken
        let type: TokenType = record.refreshToken == nil ? .accessToken : .refreshToken
        let reply: HTTPReply
        do {
            reply = try await endpoint.reply(to: [
                ("grant_type", GrantType.tokenExchange.rawValue),
                ("requested_token_type", TokenType.loginToken.rawValue),
                ("audience", clientID),
                ("subject_token", subject.reveal()),
                ("subject_token_type", type.rawValue),
            ])
        } catch {
            throw error.signInError
        }
        // `try?`: what is no JSON has no token in it.
        guard let json = try? JSONObject(parsing: reply.body, limits: .foreign(size: 16 * 1024)),
            json.string("issued_token_type") == TokenType.loginToken.rawValue,
            let token = json.string("access_token"), !token.isEmpty,
            token.utf8.allSatisfy({ $0.isVisible })
        else { throw SignInError(.rejected(.tokenResponse)) }
        return LoginToken(token)
    }
}

extension SignInError {
    /// Whether the provider refuses the subject token of an exchange (RFC 8693 §2.2.2): the session
    /// has ended, or another process has replaced the refresh token.
    fileprivate var isOfSubject: Bool {
        providerError?.code == OAuthError.Code.invalidRequest.rawValue
    }
}

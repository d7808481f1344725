import HTTPTypes
package import PorticoBytes
package import PorticoProtocol

/// Asks authorization servers of the AT Protocol: for a sign-in, for tokens, for newer ones, and to
/// end them (RFC 9126, RFC 6749 §4.1.3, §6, RFC 7009; AT Protocol, OAuth).
///
/// Every request has a proof of possession, and is sent once more where the server wants a newer
/// nonce. A refresh token must not go out twice at the same time: the caller sees to that, in all
/// processes.
package struct ATClient: Sendable {
    private let sender: DPoPSender
    private let rules: IdentityRules
    private let nonceInAnswers: Bool

    /// Each of at most two tries, in seconds: both are over before the lease of a refresh is, which
    /// counts from the first.
    private static let seconds = 10
    private static let short = HTTPLimits(bytes: 16 * 1024, seconds: seconds)
    private static let long = HTTPLimits(bytes: ATTokens.longest, seconds: seconds)
    /// No one waits for the answer to a revocation.
    private static let revocation = HTTPLimits(bytes: 16 * 1024, seconds: 5)

    /// - Parameters:
    ///   - sender: Over a guarded transport: strangers choose every address.
    ///   - nonceInAnswers: Whether an answer of success without a nonce is refused, as the protocol
    ///     demands.
    package init(
        sender: DPoPSender,
        rules: IdentityRules = .production,
        nonceInAnswers: Bool = true
    ) {
        self.sender = sender
        self.rules = rules
        self.nonceInAnswers = nonceInAnswers
    }

    /// Begins a sign-in (RFC 9126 §2).
    ///
    /// - Parameter key: Of this sign-in; its tokens are bound to it.
    /// - Returns: The address to send the browser to.
    package func push(
        _ authorization: ATAuthorization,
        to server: AuthorizationServer,
        as client: ATClientIdentity,
        key: DPoPKey
    ) async throws(ATError) -> String {
        let answer = try await post(
            authorization.form(redirectURI: client.redirectURI),
            to: server.pushed,
            of: server,
            as: client,
            key: key,
            limits: Self.short
        )
        let reply = answer.reply
        // 201 is the RFC's; some servers answer 200.
        guard reply.response.status == .created || reply.response.status == .ok else {
            throw ATError(reply)
        }
        guard answer.gaveNonce || !nonceInAnswers else {
            throw .unusable(.noNonce, successor: nil)
        }
        // `try?`: what is no JSON has no `request_uri`.
        guard reply.isJSON,
            let json = try? JSONObject(
                parsing: reply.body,
                limits: .foreign(size: Self.short.bytes)
            ),
            let requestURI = json.string("request_uri"),
            1...512 ~= requestURI.utf8.count, requestURI.utf8.allSatisfy(\.isVisible)
        else { throw .unusable(.notPushed, successor: nil) }
        return FormEncoding.appending(
            [("client_id", client.clientID), ("request_uri", requestURI)],
            to: server.authorization.text
        )
    }

    /// Redeems the code of a sign-in.
    ///
    /// - Parameter did: Who the sign-in began with; `nil` if it began with a server.
    package func redeem(
        _ code: SecretText,
        verifier: CodeVerifier,
        of did: DID?,
        at server: AuthorizationServer,
        as client: ATClientIdentity,
        key: DPoPKey
    ) async throws(ATError) -> ATTokens {
        try await tokens(
            [
                ("grant_type", "authorization_code"), ("code", code.reveal()),
                ("code_verifier", verifier.reveal()), ("redirect_uri", client.redirectURI),
            ],
            of: did,
            at: server,
            as: client,
            key: key
        )
    }

    /// Exchanges a refresh token, which is spent by it.
    ///
    /// - Parameter key: That of the session, like `client`: a server ends a session that another
    ///   comes with.
    package func refresh(
        _ token: SecretText,
        of did: DID,
        at server: AuthorizationServer,
        as client: ATClientIdentity,
        key: DPoPKey
    ) async throws(ATError) -> ATTokens {
        try await tokens(
            [("grant_type", "refresh_token"), ("refresh_token", token.reveal())],
            of: did,
            at: server,
            as: client,
            key: key
        )
    }

    /// Ends a session by its refresh token, or by its access token if it has no other.
    ///
    /// - Returns: Whether there is nothing left to do. Servers answer the same where they revoked
    ///   nothing.
    package func revoke(
        _ token: SecretText,
        at server: AuthorizationServer,
        as client: ATClientIdentity,
        key: DPoPKey
    ) async -> Bool {
        guard let address = server.revocation else { return true }
        do {
            let answer = try await post(
                [("token", token.reveal())],
                to: address,
                of: server,
                as: client,
                key: key,
                limits: Self.revocation
            )
            return answer.reply.response.status == .ok && (answer.gaveNonce || !nonceInAnswers)
        } catch {
            return false
        }
    }

    private func tokens(
        _ form: [(name: String, value: String)],
        of did: DID?,
        at server: AuthorizationServer,
        as client: ATClientIdentity,
        key: DPoPKey
    ) async throws(ATError) -> ATTokens {
        let answer = try await post(
            form,
            to: server.token,
            of: server,
            as: client,
            key: key,
            limits: Self.long
        )
        let body = answer.reply.body
        guard answer.reply.response.status == .ok else { throw ATError(answer.reply) }
        do throws(ATAnswerFault) {
            guard answer.reply.isJSON else { throw .notTokens }
            guard answer.gaveNonce || !nonceInAnswers else { throw .noNonce }
            let tokens = try ATTokens(parsing: body, rules)
            guard did.map({ $0 == tokens.subject }) ?? true else { throw .otherSubject }
            return tokens
        } catch {
            throw .unusable(error, successor: ATTokens.successor(in: body))
        }
    }

    private func post(
        _ form: [(name: String, value: String)],
        to address: HTTPAddress,
        of server: AuthorizationServer,
        as client: ATClientIdentity,
        key: DPoPKey,
        limits: HTTPLimits
    ) async throws(ATError) -> DPoPSender.Answer {
        do {
            return try await sender.send(
                .post,
                to: address,
                with: key,
                at: .authorizationServer,
                limits: limits
            ) { moment in
                let own = try client.form(for: server.issuer, at: moment)
                return (
                    [
                        .contentType: "application/x-www-form-urlencoded",
                        .accept: "application/json",
                    ], FormEncoding.encode(own + form)
                )
            }
        } catch let error as HTTPTransportError {
            throw error == .tooLarge ? .unusable(.tooLarge, successor: nil) : .network(error)
        } catch {
            throw .signing
        }
    }
}

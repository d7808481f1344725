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

/// A token by which an app hands its sign-in on to another app of the same vendor, from
/// ``Session/loginToken(for:)``: good for one sign-in of one client, for a minute at most.
///
/// Fetch it just before it is used, and store it nowhere. Printing it shows nothing of it.
public struct LoginToken: Hashable, Sendable {
    private let text: String

    /// The token that another app has passed to this one.
    public init(_ text: String) {
        self.text = text
    }

    /// The token itself, to be passed to the other app. Keep it out of URLs and logs.
    public func reveal() -> String { text }

    public static func == (one: LoginToken, other: LoginToken) -> Bool {
        ConstantTime.equal(one.text, other.text)
    }
}

extension LoginToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "LoginToken(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SignInRequest {
    /// A sign-in by a login token that another app has fetched for this one.
    public init(loginToken: LoginToken) {
        self.init()
        self.loginToken = loginToken
    }
}

extension SignInClient {
    /// Signs a person in by a login token from another app, and keeps the session (RFC 8252 §4.1).
    ///
    /// A provider that takes pushed requests asks nothing. A token that is not valid any more
    /// counts as none: the sign-in page appears, or the app gets the account that is signed in in
    /// that browser. See ``Session/user`` for who it is.
    ///
    /// - Parameters:
    ///   - loginToken: From ``Session/loginToken(for:)`` of the other app.
    ///   - request: What this sign-in asks for beyond the scopes.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored in that case.
    public func signIn(
        loginToken: LoginToken,
        _ request: SignInRequest = SignInRequest(),
        using method: SignInMethod = .standard
    ) async throws(SignInError) -> Session {
        var request = request
        request.loginToken = loginToken
        return try await signIn(request, using: method)
    }
}
